import SubPub

/// Follows a publisher at leisure: it looks at a state, rests for a second, and looks again.
///
/// It is an ordinary loop over an async sequence. With `.latest` at most one state waits for it, the newest: what
/// came while it rested is skipped and counted. With the default, `.unbounded`, it would fall behind for ever.
/// It may look as rarely as it likes; the last state is never the one that is skipped.
enum Summary {
  static func follow<Value: Sendable & Equatable>(
    _ publisher: Publisher<Value>, until ending: Ending
  ) -> Task<SummaryReport, Never> {
    Task {
      // `for await state in publisher.states(buffering: .latest)` is the short form. The iterator is the
      // subscriber, and asked by name it tells its figures.
      var iterator = publisher.states(buffering: .latest).makeAsyncIterator()
      var report = SummaryReport(source: publisher.id)
      var last: Value?
      while let state = await iterator.next() {
        report.looks += 1
        if state.phase == .error { report.errors += 1 }
        if case .loaded(let value) = state, value != last {
          report.values += 1
          last = value
        }
        await ending.rest(atMost: .seconds(1))
      }
      // Here the task was cancelled.
      report.statistics = iterator.statistics
      return report
    }
  }
}
