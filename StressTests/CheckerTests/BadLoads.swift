import SubPub
import Testing

/// A way to spoil a good history of a manager, the rule that is broken then, and a twin that breaks none.
struct BadLoads: Sendable, CustomTestStringConvertible {
  let rule: String
  let name: String
  var mix: LoadMix = [.refresh]
  var twin: @Sendable (inout LoadHistory) -> Void = { _ in }
  let spoil: @Sendable (inout LoadHistory) -> Void

  var testDescription: String { "\(rule): \(name)" }

  func history(_ change: (inout LoadHistory) -> Void) -> LoadHistory {
    mix.contains(.nextPage) ? ExampleLoads.pages(mix, change) : ExampleLoads.history(mix, change)
  }
}

extension BadLoads {
  private typealias Make = ExampleLoads

  /// Results that are late, or never published.
  static let late: [BadLoads] = [
    BadLoads(rule: "1.03", name: "the last state is missing") { $0.finalVersion = 5 },
    BadLoads(rule: "5.04", name: "a result of no call") { $0.publications[4] = Make.state(4, .loaded, 7) },
    BadLoads(
      rule: "5.04", name: "a result after a logout", mix: [.refresh, .logout],
      twin: { insert(Make.state(2, .unknown), at: 2, calls: [0, 4, 4], &$0) },
      spoil: { insert(Make.state(2, .unknown), at: 2, calls: [1, 4, 4], &$0) }),
    BadLoads(
      rule: "5.04", name: "a result after a loading of another transition", mix: [.refresh, .foreign],
      twin: { insert(Make.state(2, .loading), at: 2, calls: [1, 4, 4], &$0) },
      spoil: {
        insert(Make.state(2, .loading), at: 2, calls: [1, 4, 4], &$0)
        $0.foreign = [2]
      }),
    BadLoads(
      rule: "5.04", name: "a restarting refresh gets the result of an earlier call", mix: [.refresh, .restart],
      twin: { $0.waits[1] = Make.wait(.restart, 39, at: 2, .loaded, 2) },
      spoil: { $0.waits[1] = Make.wait(.restart, 41, at: 2, .loaded, 2) }),
    BadLoads(
      rule: "5.04", name: "a value from before the logout", mix: [.refresh, .logout],
      twin: { $0.logouts = [LogoutRecord(login: 1, version: 4)] },
      spoil: { $0.logouts = [LogoutRecord(login: 1, version: 3)] }),
    BadLoads(
      rule: "5.04", name: "a call that was never cancelled", mix: [.refresh, .restart],
      twin: { $0.calls.append(Make.call(3, 42, .cancelled)) }, spoil: { $0.calls.append(Make.call(3, 42, .open)) }),
    BadLoads(rule: "5.05", name: "a wait that never returns") { $0.hasHangingWaits = true },
    BadLoads(
      rule: "5.05", name: "loading forever", mix: [.refresh, .cancel], twin: { cancelSecond(restored: true, &$0) },
      spoil: { cancelSecond(restored: false, &$0) }),
    BadLoads(
      rule: "5.05", name: "back to unknown without a cancel",
      spoil: { insert(Make.state(2, .unknown), at: 2, calls: [0, 4, 4], &$0) }),
  ]

  /// Inserts a state, and sets the versions at which the calls begin.
  private static func insert(_ state: LoadPublication, at index: Int, calls: [UInt64], _ history: inout LoadHistory) {
    var states = history.publications
    if state.phase == .unknown {
      states.insert(contentsOf: [state, Make.state(3, .loading)], at: index)
    } else {
      states.insert(state, at: index)
    }
    for index in states.indices { states[index].version = UInt64(index) }
    history.publications = states
    history.finalVersion = UInt64(states.count - 1)
    history.waits = []
    for (index, version) in calls.enumerated() {
      let call = history.calls[index]
      let isLast = index > 0
      let begins = isLast ? history.finalVersion - 1 : (version == 0 ? UInt64(3) : version)
      history.calls[index] = Make.call(begins, call.begin, call.outcome)
    }
  }

  /// Cancels the second load.
  private static func cancelSecond(restored: Bool, _ history: inout LoadHistory) {
    history.calls = [history.calls[0], Make.call(3, 30, .cancelled)]
    history.waits = []
    if restored {
      history.publications[4] = Make.state(4, .loaded, 0)
    } else {
      history.publications.removeLast()
      history.finalVersion = 3
    }
  }

  /// Loads that are shared, tried again, and kept.
  static let shared: [BadLoads] = [
    BadLoads(
      rule: "5.03", name: "two calls at once", twin: { $0.calls[2] = Make.call(3, 35, .answered) },
      spoil: { $0.calls[2] = Make.call(3, 34, .answered) }),
    BadLoads(
      rule: "5.03", name: "two loads at once", mix: [.refresh, .cancel],
      spoil: { again(.loading, &$0) }),
    BadLoads(
      rule: "5.03", name: "an old result",
      twin: { $0.waits[1] = Make.wait(.refresh, 25, at: 3, .loaded, 2) },
      spoil: { $0.waits[1] = Make.wait(.refresh, 25, at: 2, .loaded, 0) }),
    BadLoads(
      rule: "5.03", name: "no result", mix: [.refresh],
      spoil: { $0.waits[1] = Make.wait(.refresh, 25, at: 2, .loading, 0) }),
    BadLoads(
      rule: "5.03", name: "a result that was never published", mix: [.refresh, .cancel],
      spoil: { $0.waits[1] = Make.wait(.refresh, 25, at: 2, .loaded, 1) }),
    BadLoads(rule: "5.03", name: "a result that is lost") { $0.calls.append(Make.call(4, 50, .answered)) },
    BadLoads(
      rule: "5.07", name: "an error of the first attempt",
      twin: {
        $0.calls[2].outcome = .failed
        $0.publications[4] = Make.state(4, .error, 0, failure: 2)
        $0.waits[1] = Make.wait(.refresh, 25, at: 2, .error, 0, failure: 2)
      },
      spoil: {
        $0.calls.removeLast()
        $0.publications[4] = Make.state(4, .error, 0, failure: 1)
        $0.waits.removeLast()
      }),
    BadLoads(rule: "5.07", name: "an error of no call") { $0.publications[4] = Make.state(4, .error, 0) },
    BadLoads(rule: "5.01", name: "previous data is lost") { $0.publications[3] = Make.state(3, .loading) },
    BadLoads(
      rule: "5.05", name: "the same result once more", mix: [.refresh, .copies], twin: { again(.loaded, &$0) },
      spoil: {
        again(.loaded, &$0)
        $0.mix = [.refresh]
      }),
    BadLoads(
      rule: "5.08", name: "a page that is missing", mix: [.nextPage],
      spoil: {
        $0.calls[1].page = 2
        $0.publications[4].items =
          $0.publications[2].items + [2, 2].map { LoadedItem(number: 1, login: 0, page: $0, place: 0) }
      }),
    BadLoads(
      rule: "5.08", name: "a page twice", mix: [.nextPage],
      spoil: { $0.publications[4].items += $0.publications[2].items }),
    BadLoads(
      rule: "5.08", name: "a page after a list that wasn't published", mix: [.nextPage, .refresh, .cancel],
      spoil: {
        $0.calls.append(Make.call(1, 12, .answered))
        $0.publications[4].items[0] = LoadedItem(number: 2, login: 0, page: 0, place: 0)
      }),
  ]

  /// Repeats the last state, or the one before it.
  private static func again(_ phase: LoadPhase, _ history: inout LoadHistory) {
    let index = phase == .loading ? 3 : 4
    history.publications.insert(history.publications[index], at: index)
    for index in history.publications.indices { history.publications[index].version = UInt64(index) }
    history.finalVersion = 5
  }
}
