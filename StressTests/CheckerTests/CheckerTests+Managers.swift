/// Loads of a manager.
extension CheckerTests {
  private typealias Row = Bad<LoadHistory>

  private static func mix(_ mix: LoadMix) -> Row.Change { { $0.mix = mix } }

  /// Publishes these states instead, and sets the versions at which the calls begin.
  private static func publish(_ states: [LoadPublication], calls: [UInt64]) -> Row.Change {
    { history in
      (history.publications, history.finalVersion, history.waits) = (states, UInt64(states.count - 1), [])
      for (index, version) in calls.enumerated() { history.calls[index].version = version }
    }
  }

  /// Publishes the state at the index twice.
  private static func again(_ index: Int) -> Row.Change {
    { history in
      history.publications.insert(history.publications[index], at: index)
      for index in history.publications.indices { history.publications[index].version = UInt64(index) }
      history.finalVersion += 1
    }
  }

  /// The first load is logged out, or rolled back, and another one follows.
  private static let interrupted: [LoadPublication] = [
    Example.state(0, .unknown), Example.state(1, .loading), Example.state(2, .unknown), Example.state(3, .loading),
    Example.state(4, .loaded, 0), Example.state(5, .loading, 0), Example.state(6, .loaded, 2),
  ]
  /// Two transitions to `loading`.
  private static let loadingTwice: [LoadPublication] = [
    Example.state(0, .unknown), Example.state(1, .loading), Example.state(2, .loading), Example.state(3, .loaded, 0),
    Example.state(4, .loading, 0), Example.state(5, .loaded, 2),
  ]

  /// Results that are late, or never published.
  static let lateLoads: [Bad<LoadHistory>] = [
    Row("1.03", "the last state is missing", spoil: { $0.finalVersion = 5 }),
    Row("5.03 5.04", "a result of no call", spoil: { $0.publications[4] = Example.state(4, .loaded, 7) }),
    Row("5.04", "a result that is older than its call", spoil: { $0.calls[2].version = 4 }),
    Row(
      "5.04", "a result after a logout", given: mix([.refresh, .logout]),
      twin: publish(interrupted, calls: [3, 5, 5]), spoil: publish(interrupted, calls: [1, 5, 5])),
    Row(
      "5.04", "a result after a loading of another transition", given: mix([.refresh, .foreign]),
      publish(loadingTwice, calls: [1, 4, 4]), spoil: { $0.foreign = [2] }),
    Row(
      "5.04", "a restarting refresh gets the result of an earlier call", given: mix([.refresh, .restart]),
      twin: { $0.waits[1] = Example.wait(.restart, 39, at: 2, .loaded, 2) },
      spoil: { $0.waits[1] = Example.wait(.restart, 41, at: 2, .loaded, 2) }),
    Row(
      "5.04", "a value from before the logout", given: mix([.refresh, .logout]),
      twin: { $0.logouts = [(login: 1, version: 4)] },
      spoil: { $0.logouts = [(login: 1, version: 3)] }),
    Row(
      "5.04", "a call that was never cancelled", given: mix([.refresh, .restart]),
      twin: { $0.calls.append(Example.call(3, 42, .cancelled)) },
      spoil: { $0.calls.append(Example.call(3, 42, .open)) }),
    Row("5.05", "a wait that never returns", spoil: { $0.hasHangingWaits = true }),
    Row(
      "5.05", "loading forever", given: mix([.refresh, .cancel]),
      { ($0.calls, $0.waits) = ([$0.calls[0], Example.call(3, 30, .cancelled)], []) },
      twin: { $0.publications[4] = Example.state(4, .loaded, 0) },
      spoil: {
        $0.publications.removeLast()
        $0.finalVersion = 3
      }),
    Row("5.05", "back to unknown without a cancel", spoil: publish(interrupted, calls: [3, 5, 5])),
  ]

  /// Loads that are shared, tried again, and kept.
  static let sharedLoads: [Bad<LoadHistory>] = [
    Row(
      "5.03", "two calls at once", twin: { $0.calls[2] = Example.call(3, 35, .answered) },
      spoil: { $0.calls[2] = Example.call(3, 34, .answered) }),
    Row("5.03", "two loads at once", given: mix([.refresh, .cancel]), spoil: again(3)),
    Row(
      "5.03", "an old result", twin: { $0.waits[1] = Example.wait(.refresh, 25, at: 3, .loaded, 2) },
      spoil: { $0.waits[1] = Example.wait(.refresh, 25, at: 2, .loaded, 0) }),
    Row("5.03", "no result", spoil: { $0.waits[1] = Example.wait(.refresh, 25, at: 2, .loading, 0) }),
    Row(
      "5.03", "a result that was never published", given: mix([.refresh, .cancel]),
      spoil: { $0.waits[1] = Example.wait(.refresh, 25, at: 2, .loaded, 1) }),
    Row("5.03", "a result that is lost", spoil: { $0.calls.append(Example.call(4, 50, .answered)) }),
    Row(
      "5.07", "an error of the first attempt",
      twin: {
        $0.calls[2].outcome = .failed
        $0.publications[4] = Example.state(4, .error, 0, failure: 2)
        $0.waits[1] = Example.wait(.refresh, 25, at: 2, .error, 0, failure: 2)
      },
      spoil: {
        $0.calls.removeLast()
        $0.publications[4] = Example.state(4, .error, 0, failure: 1)
        $0.waits.removeLast()
      }),
    Row("5.03 5.07", "an error of no call", spoil: { $0.publications[4] = Example.state(4, .error, 0) }),
    Row("5.05", "a call is cancelled alone", spoil: { $0.calls.append(Example.call(4, 50, .cancelled)) }),
    Row("5.01", "previous data is lost", spoil: { $0.publications[3] = Example.state(3, .loading) }),
    Row(
      "5.05", "the same result once more", given: again(4), twin: mix([.refresh, .copies]), spoil: mix([.refresh])),
    Row(
      "5.16", "a value of nobody", given: again(4), { $0.publications[5] = Example.state(5, .loaded, -1) },
      twin: mix([.refresh, .set]), spoil: mix([.refresh])),
  ]

  private static let pageStorm: Row.Change = { $0 = Example.pages([.nextPage, .refresh, .cancel]) }

  static let pages: [Bad<LoadHistory>] = [
    Row(
      "5.08", "a page that is missing", given: { $0 = Example.pages() },
      spoil: {
        $0.calls[1].page = 2
        $0.publications[4].items =
          $0.publications[2].items + [2, 2].map { LoadedItem(number: 1, page: $0) }
      }),
    Row("5.08", "a page of another call", given: { $0 = Example.pages() }, spoil: { $0.calls[1].page = 0 }),
    Row(
      "5.03 5.05 5.08", "a page twice", given: { $0 = Example.pages() },
      spoil: { $0.publications[4].items += $0.publications[2].items }),
    Row(
      "5.08", "a page after a list that wasn't published", given: pageStorm,
      spoil: {
        $0.calls.append(Example.call(1, 12, .answered))
        $0.publications[4].items[0] = LoadedItem(number: 2)
      }),
  ]
}
