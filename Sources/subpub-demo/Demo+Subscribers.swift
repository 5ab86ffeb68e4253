import SubPub

// Subscribers and their contexts.
extension Demo {
  /// Subscribes a row for each publisher: a typed main-actor subscriber.
  ///
  /// It names no context, because the main actor is the only one possible.
  mutating func subscribe(_ monitor: Monitor, printing: Bool) {
    subscribeRow(of: load, monitor, printing)
    subscribeRow(of: memory, monitor, printing)
    for path in paths { subscribeRow(of: path, monitor, printing) }
  }

  private mutating func subscribeRow<Value: CustomStringConvertible & Sendable>(
    of manager: any Manager<Value>, _ monitor: Monitor, _ printing: Bool
  ) {
    let row = Row(of: manager) { [console] line in if printing { console.print(line) } }
    monitor.show(row)
    listed.append(manager.publisher.subscribe(row, label: "view"))
  }

  /// Subscribes the log, one object with one method, to all publishers.
  ///
  /// All subscriptions name the same serial queue, so lines are written one after the other, and a slow disk
  /// delays no other subscriber.
  mutating func subscribe(_ log: JSONLog) {
    listed.append(load.publisher.subscribe(log, on: .queue(log.queue), label: "log"))
    listed.append(memory.publisher.subscribe(log, on: .queue(log.queue), label: "log"))
    for path in paths { listed.append(path.publisher.subscribe(log, on: .queue(log.queue), label: "log")) }
  }

  /// Subscribes an actor with a closure that is isolated to it, so the closure calls its methods without `await`.
  mutating func subscribe(_ alarm: LoadAlarm) {
    listed.append(load.publisher.subscribe(alarm, label: "alarm") { alarm, state in alarm.check(state) })
  }

  /// Subscribes the error reporter to every publisher of the directory, present and future.
  ///
  /// `.background` is Dispatch's global pool, for subscribers that can be called on any thread. The table finds these
  /// subscriptions through the publishers.
  mutating func subscribe(_ errors: ErrorReporter) {
    directory.subscribeToAll(errors, on: .background, label: "errors")
    listed += subscriptions.filter { $0.label == "errors" }
  }

  /// The current subscriptions: those that the table lists, and then the others.
  var subscribers: [Subscription] {
    let listed = Set(listed)
    return self.listed + subscriptions.filter { !listed.contains($0) }
  }

  private var subscriptions: [Subscription] {
    load.publisher.subscriptions + memory.publisher.subscriptions + paths.flatMap { $0.publisher.subscriptions }
  }

  // MARK: The table

  func table(with reports: [SummaryReport]) -> DeliveryTable {
    var versions = [
      load.publisher.id: load.publisher.current.version, memory.publisher.id: memory.publisher.current.version,
    ]
    for path in paths { versions[path.publisher.id] = path.publisher.current.version }
    var table = DeliveryTable(versions: versions)
    for subscription in listed {
      table.add(
        subscription.label ?? "", of: subscription.source, on: "\(subscription.context)",
        statistics: subscription.statistics)
    }
    for report in reports {
      table.add("summary", of: report.source, on: "async sequence", statistics: report.statistics)
    }
    return table
  }
}
