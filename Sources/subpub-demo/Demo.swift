// subpub-demo watches this very machine: its load average, its memory, and one file or folder. It is also the
// tutorial of SubPub. Read it in this order:
//
//   1. Demo               the whole program: managers, subscribers, refreshers, the end
//   2. LoadingManager+Reader  how a load is tried, timed, tried again and cached
//   3. Refresher          who asks for it, again and again
//   4. TerminalView       rows that are subscribers on the main actor; a row shows what a load state holds
//   5. JSONLog            a subscriber on a Dispatch queue
//   6. LoadAlarm          a subscriber that is an actor
//   7. Summary            a subscriber that is an async sequence, and slow
//   8. ErrorReporter      one handler for the errors of all publishers
//   9. Ending             a publisher as something to wait for
//  10. DeliveryTable      what the library counted
//
// The rest has no part in it: what is read (LoadAverage, Memory, WatchedItem) and how (…Reader), the command line
// (Arguments), and writing (Console, OpenFile, JSONText and smaller ones).

import SubPub

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

@main
@MainActor
struct Demo {
  static func main() async {
    let console = Console()
    do {
      switch try Arguments.parse(Array(CommandLine.arguments.dropFirst())) {
      case .help: for line in Arguments.usage { console.print(line) }
      case .run(let arguments): await Demo(arguments: arguments, console: console).run()
      }
    } catch {
      console.report("\(error) (see --help)")
      exit(2)
    }
  }

  let arguments: Arguments
  let console: Console

  // A manager loads, and drives a publisher, which holds one load state and tells everyone who subscribed. The label
  // is for people: it names the publisher in the log, in messages and in the table.
  let load: LoadingManager<LoadAverage>
  let memory: LoadingManager<Memory>
  let path: LoadingManager<WatchedItem>
  /// Knows all of them, for who is concerned with all.
  let directory = PublisherDirectory()

  /// What the table is about: every subscription, and the name that it goes by.
  private var named: [(name: String, subscription: Subscription)] = []

  init(arguments: Arguments, console: Console) {
    self.arguments = arguments
    self.console = console
    load = LoadingManager("load", from: LoadAverageReader(), for: arguments, console)
    memory = LoadingManager("memory", from: MemoryReader(), for: arguments, console)
    path = LoadingManager("path", from: ItemReader(path: arguments.watch), for: arguments, console)
    directory.register(load)
    directory.register(memory)
    directory.register(path)
  }

  consuming func run() async {
    let ending = Ending(after: arguments.seconds)
    console.print(
      "watching \(arguments.watch) every \(arguments.interval), for \(arguments.seconds); Ctrl-C ends it")

    // Publishers hold their subscribers weakly, as a view controller or a cache would want it: nobody has to
    // unsubscribe. So whoever makes a subscriber keeps it, and these live until the table is printed.
    let view = TerminalView(console: console)
    let log = openLog()
    let alarm = LoadAlarm(limit: arguments.alarmLoad, console: console)
    let errors = ErrorReporter(console: console)
    defer { withExtendedLifetime((view, log, alarm, errors)) {} }

    subscribe(view)
    if let log { subscribe(log) }
    subscribe(alarm)
    subscribe(errors)
    let summaries = [
      Summary.follow(load.publisher, until: ending),
      Summary.follow(memory.publisher, until: ending),
      Summary.follow(path.publisher, until: ending),
    ]

    // Everyone listens, so the loads may begin. The other order would do as well: who comes late is first given
    // the state that is current then, and misses none after it.
    let refreshers = [
      Refresher(load, every: arguments.interval).start(),
      Refresher(memory, every: arguments.interval).start(),
      Refresher(path, every: arguments.interval).start(),
    ]

    await ending.wait()

    // First nobody publishes any more; then `drain` waits until every subscription has been given, or has
    // skipped, all that was published. Only then are the figures final.
    for refresher in refreshers { refresher.cancel() }
    for refresher in refreshers { await refresher.value }
    await load.publisher.drain()
    await memory.publisher.drain()
    await path.publisher.drain()
    // The last values are written behind the loads. Who exits waits for that.
    await load.waitForCache()
    await memory.waitForCache()
    await path.waitForCache()

    // A sequence's task waits for the next state for as long as its publisher lives. It is cancelled after the
    // drain and not before: cancelling drops what is still in its buffer.
    var reports: [SummaryReport] = []
    for summary in summaries {
      summary.cancel()
      reports.append(await summary.value)
    }
    console.leaveBlock()
    for report in reports { console.print("\(report)") }
    if let log { console.print("\(log)") }
    for line in table(with: reports).lines { console.print(line) }
  }

  // MARK: Who listens, and where

  /// A row for each publisher: a typed subscriber of the main actor. No context is named, as there is no other for it.
  private mutating func subscribe(_ view: TerminalView) {
    named.append(("view", load.publisher.subscribe(view.makeRow(of: load.publisher))))
    named.append(("view", memory.publisher.subscribe(view.makeRow(of: memory.publisher))))
    named.append(("view", path.publisher.subscribe(view.makeRow(of: path.publisher))))
  }

  /// One object, one method, many publishers: the log writes whatever comes. All three name the same serial
  /// queue, so its lines are written one after the other, and a slow disk delays nobody else.
  private mutating func subscribe(_ log: JSONLog) {
    named.append(("log", load.publisher.subscribe(log, on: .queue(log.queue))))
    named.append(("log", memory.publisher.subscribe(log, on: .queue(log.queue))))
    named.append(("log", path.publisher.subscribe(log, on: .queue(log.queue))))
  }

  /// The handler is isolated to the actor, so that it calls the actor's methods without `await`.
  private mutating func subscribe(_ alarm: LoadAlarm) {
    named.append(("alarm", load.publisher.subscribe(alarm) { alarm, state in alarm.check(state) }))
  }

  /// Every publisher of the directory in one go; one that is registered later would be watched as well. `.background`
  /// is Dispatch's global pool, for who doesn't care on which thread it is called. For the table, each publisher tells
  /// who listens.
  private mutating func subscribe(_ errors: ErrorReporter) {
    directory.subscribeToAll(errors, on: .background)
    let all = load.publisher.subscriptions + memory.publisher.subscriptions + path.publisher.subscriptions
    for subscription in all where subscription.subscriberType == ErrorReporter.self {
      named.append(("errors", subscription))
    }
  }

  // MARK: The log and the table

  /// The log, if one is asked for and can be opened; the program goes on without.
  private func openLog() -> JSONLog? {
    guard let file = arguments.log else { return nil }
    do {
      return try JSONLog(writingTo: file, console: console)
    } catch {
      console.report("log: cannot open \(file): \(error)")
      return nil
    }
  }

  private func table(with reports: [SummaryReport]) -> DeliveryTable {
    var table = DeliveryTable(versions: [
      load.publisher.id: load.publisher.current.version,
      memory.publisher.id: memory.publisher.current.version,
      path.publisher.id: path.publisher.current.version,
    ])
    for (name, subscription) in named {
      table.add(
        name, of: subscription.source, on: "\(subscription.context)", statistics: subscription.statistics)
    }
    for report in reports {
      table.add("summary", of: report.source, on: "async sequence", statistics: report.statistics)
    }
    return table
  }
}
