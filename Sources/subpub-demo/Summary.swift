import SubPub

/// A slow subscriber that takes one state per second.
///
/// It is an ordinary loop over an async sequence. With `.latest`, at most one state is pending, the newest: states that
/// arrive during a pause are skipped and counted. With the default, `.unbounded`, the subscriber would fall further and
/// further behind. However rarely it takes a state, the last one is never skipped.
enum Summary {
  static func follow<Value: Sendable & Equatable>(
    _ publisher: Publisher<Value>, until ending: Ending
  ) -> Task<SummaryReport, Never> {
    Task {
      // `for await state in publisher.states(buffering: .latest)` is the short form. The iterator is the subscriber; it
      // is named here because it provides the statistics.
      var iterator = publisher.states(buffering: .latest, label: "summary").makeAsyncIterator()
      var report = SummaryReport(source: publisher.id)
      var last: Value?
      while let state = await iterator.next() {
        report.states += 1
        if state.phase == .error { report.errors += 1 }
        if case .loaded(let value) = state, value != last {
          report.values += 1
          last = value
        }
        await ending.rest(atMost: .seconds(1))
      }
      // The task was cancelled.
      report.statistics = iterator.statistics
      return report
    }
  }
}

/// The counts of a summary.
struct SummaryReport: Sendable, CustomStringConvertible {
  let source: PublisherID
  var states = 0
  /// The number of values that differed from the one before.
  var values = 0
  var errors = 0
  var statistics: Subscription.Statistics?

  var description: String {
    "summary of \(source): states \(states), different values \(values), errors \(errors)"
  }
}
