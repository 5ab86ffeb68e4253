import SubPub

extension BadLoads {
  private typealias Make = HandMadeLoads

  /// What comes late, or not at all.
  static let late: [BadLoads] = [
    BadLoads(rule: "1.03", name: "the last state is missing") { $0.finalVersion = 5 },
    BadLoads(rule: "5.04", name: "a result that nobody has brought") { $0.publications[4] = Make.state(4, .loaded, 7) },
    BadLoads(
      rule: "5.04", name: "a result after a logout", mix: [.refresh, .logout],
      twin: { insert(Make.state(2, .unknown), at: 2, calls: [0, 4, 4], &$0) },
      spoil: { insert(Make.state(2, .unknown), at: 2, calls: [1, 4, 4], &$0) }),
    BadLoads(
      rule: "5.04", name: "a result after somebody else's loading", mix: [.refresh, .foreign],
      twin: { insert(Make.state(2, .loading), at: 2, calls: [1, 4, 4], &$0) },
      spoil: {
        insert(Make.state(2, .loading), at: 2, calls: [1, 4, 4], &$0)
        $0.foreign = [2]
      }),
    BadLoads(
      rule: "5.04", name: "a forced refresh gets what was asked for before", mix: [.refresh, .force],
      twin: { $0.waits[1] = Make.wait(.force, 39, at: 2, .loaded, 2) },
      spoil: { $0.waits[1] = Make.wait(.force, 41, at: 2, .loaded, 2) }),
    BadLoads(
      rule: "5.04", name: "data of before the logout", mix: [.refresh, .logout],
      twin: { $0.logouts = [LogoutRecord(login: 1, version: 4)] },
      spoil: { $0.logouts = [LogoutRecord(login: 1, version: 3)] }),
    BadLoads(
      rule: "5.04", name: "a call that nobody has cancelled", mix: [.refresh, .force],
      twin: { $0.calls.append(Make.call(3, 42, .cancelled)) }, spoil: { $0.calls.append(Make.call(3, 42, .open)) }),
    BadLoads(rule: "5.05", name: "somebody waits for good") { $0.hasHangingWaits = true },
    BadLoads(
      rule: "5.05", name: "loading for good", mix: [.refresh, .cancel], twin: { giveUp(restored: true, &$0) },
      spoil: { giveUp(restored: false, &$0) }),
    BadLoads(
      rule: "5.05", name: "back to unknown, and nobody gave up", twin: { _ in },
      spoil: { insert(Make.state(2, .unknown), at: 2, calls: [0, 4, 4], &$0) }),
  ]

  /// One more state, and the versions at which the calls begin.
  private static func insert(_ state: LoadPublication, at index: Int, calls: [UInt64], _ course: inout LoadCourse) {
    var states = course.publications
    if state.phase == .unknown {
      states.insert(contentsOf: [state, Make.state(3, .loading)], at: index)
    } else {
      states.insert(state, at: index)
    }
    course.publications = states.enumerated().map {
      LoadPublication(
        version: UInt64($0), phase: $1.phase, tickets: $1.tickets, refusal: $1.refusal)
    }
    course.finalVersion = UInt64(states.count - 1)
    course.waits = []
    for (index, version) in calls.enumerated() {
      let call = course.calls[index]
      let isLast = index > 0
      let begins = isLast ? course.finalVersion - 1 : (version == 0 ? UInt64(3) : version)
      course.calls[index] = Make.call(begins, call.begin, call.outcome)
    }
  }

  /// The second load is given up.
  private static func giveUp(restored: Bool, _ course: inout LoadCourse) {
    course.calls = [course.calls[0], Make.call(3, 30, .cancelled)]
    course.waits = []
    if restored {
      course.publications[4] = Make.state(4, .loaded, 0)
    } else {
      course.publications.removeLast()
      course.finalVersion = 3
    }
  }
}
