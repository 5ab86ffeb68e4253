// subpub-demo watches this machine: its load average, its memory, and files or folders. It is also the tutorial of
// SubPub. Read it in this order:
//
//   1. Demo, Demo+Subscribers the whole program: managers, subscribers and their contexts, polls, and the end
//   2. LoadingManager+Reader  how a load is timed, retried, and cached
//   3. Row                    a subscriber on the main actor, which shows a load state
//   4. JSONLog                a subscriber on a Dispatch queue
//   5. LoadAlarm              a subscriber that is an actor
//   6. Summary                a subscriber that is a slow async sequence
//   7. ErrorReporter          one handler for the errors of all publishers
//   8. Ending                 a publisher used as an event to wait for
//   9. Monitor                the screen: states, ages, and the library's counts, as they are now
//  10. DeliveryTable          the final counts
//  11. Server                 the same states in another process, over Redis; only with the trait
//  12. Board, WebServer       the same states in a browser: clients that come back, fall behind, and are let go
//  13. Picture, Meter         what the library does, as the page draws it: snapshots, and an instrumentation
//
// The other files don't use SubPub: the values and their readers (LoadAverage, Memory, WatchedItem), the command line
// (Arguments), the terminal (Terminal, Screen, Line), the network (EventLoop, WebClient, WebRequest, WebAddress,
// WebPage), and output (Console, OpenFile, ByteCount, Timestamp).

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
      case .run(let arguments): try await Demo(arguments: arguments, console: console).run()
      }
    } catch let error as UsageError {
      console.report("\(error) (see --help)")
      exit(2)
    } catch {
      console.report("\(error)")
      exit(1)
    }
  }

  let arguments: Arguments
  let console: Console
  let purpose = OnPurpose()
  let meter = Meter()

  // A manager loads a value and changes the state of its publisher, which informs all subscribers. The label is for
  // people: it names the publisher in the log, in messages, and in the table.
  let load: any Manager<LoadAverage>
  let memory: any Manager<Memory>
  /// One manager for each path, created when the path is first requested.
  let items: ManagerFamily<String, LoadingManager<WatchedItem>>
  /// Holds the managers of all paths, because the family holds them only weakly.
  let paths: [any Manager<WatchedItem>]
  /// All managers, for subscribers that are interested in all of them.
  let directory = PublisherDirectory()

  /// The subscriptions that the table lists; their labels name them.
  var listed: [Subscription] = []

  init(arguments: Arguments, console: Console) {
    self.arguments = arguments
    self.console = console
    // Only a page asks for what it measures.
    let meter = arguments.serve == nil ? nil : meter
    items = ManagerFamily { [purpose] path in
      let label = arguments.label(of: path)
      let reader = WatchedItemReader(path: path)
      // The next run may be started in another folder, and watch other paths.
      let name = "path \(reader.absolutePath)"
      return LoadingManager(label, cachedAs: name, from: reader, for: arguments, console, purpose, meter)
    }
    if let server = arguments.mirror {
      let staleAfter = arguments.interval * 2
      load = server.mirror("load", staleAfter: staleAfter, meter)
      memory = server.mirror("memory", staleAfter: staleAfter, meter)
      paths = arguments.watch.map { server.mirror(arguments.label(of: $0), staleAfter: staleAfter, meter) }
    } else {
      load = LoadingManager("load", from: LoadAverageReader(), for: arguments, console, purpose, meter)
      memory = LoadingManager("memory", from: MemoryReader(), for: arguments, console, purpose, meter)
      paths = arguments.watch.map { [items] in items[$0] }
    }
    directory.register(load)
    directory.register(memory)
    if arguments.mirror == nil {
      directory.register(items)
    } else {
      for path in paths { directory.register(path, named: path.publisher.label) }
    }
  }

  consuming func run() async throws {
    // Files are opened first, so that a wrong path ends the program before anything starts.
    let log = try arguments.log.map { try JSONLog(writingTo: $0, console: console) }
    let record = try arguments.record.map(Record.init)
    let terminal = arguments.isPlain ? nil : Terminal()
    let limit = arguments.seconds ?? (terminal == nil && arguments.serve == nil ? .seconds(5) : nil)
    let boards = BoardWriter(meter)
    let painter = Painter(meter, purpose) { [directory] in directory.snapshot() + [boards.board.snapshot()] }
    let server = try arguments.serve.map { address in
      // Each reading, and each write to a cache, opens files of its own, and so do the log, Dispatch, and Redis.
      try WebServer(
        at: address, boards.board, painter, purpose, reservingFiles: 32 + 8 * (2 + paths.count))
    }
    let ending = Ending(after: limit)
    let title = arguments.title
    let monitor = Monitor(title: title, terminal: terminal, console: console, purpose: purpose, ending: ending)
    if terminal != nil {
      console.hold()
    } else {
      let time = limit.map { ", for \($0)" } ?? ""
      console.print("watching \(title)\(time); press Ctrl-C to stop")
    }
    if let server { console.print("serving \(server.address)") }

    // Publishers hold their subscribers weakly, as is best for a view controller or a cache, so there is no need to
    // unsubscribe. The code that creates a subscriber keeps it; these live until the table is printed.
    let alarm = LoadAlarm(limit: arguments.alarmLoad, console: console)
    let errors = ErrorReporter(console: console, purpose: purpose)
    defer { withExtendedLifetime((monitor, log, alarm, errors)) {} }

    subscribe(monitor, printing: terminal == nil)
    if let log { subscribe(log) }
    subscribe(alarm)
    subscribe(errors)
    if server != nil { directory.subscribeToAll(boards, on: .queue(boards.queue), label: "web") }
    let serving = server.map { server in Task { await server.run() } }
    let painting = server.map { _ in Task { await painter.run() } }
    let summaries =
      [Summary.follow(load.publisher, until: ending), Summary.follow(memory.publisher, until: ending)]
      + paths.map { Summary.follow($0.publisher, until: ending) }

    // All subscribers are in place, so the loads may begin. The other order works as well: a late subscriber first
    // receives the current state and misses none after it.
    let polls = [poll(load), poll(memory)] + paths.map { poll($0) }
    let outlets =
      arguments.publishTo.map { server in
        [write(load, to: server), write(memory, to: server)] + paths.map { write($0, to: server) }
      } ?? []

    monitor.show(subscribers: { [demo = copy self] in demo.subscribers })
    let screen = Task { await monitor.run() }

    await ending.wait()
    screen.cancel()
    await screen.value
    let text = monitor.text
    console.release()
    purpose.end()

    // First, publishing stops; then `drain` waits until every subscription has received or skipped everything that was
    // published. Only then are the counts final.
    for poll in polls { poll.cancel() }
    for poll in polls { await poll.value }
    // An outlet writes what it has accepted; without a server, that ends after a while, and `drain` would wait for it.
    for outlet in outlets { outlet.cancel() }
    for outlet in outlets { await outlet.value }
    await directory.drain()
    // The last values are written after their loads have ended, so wait for that before exiting.
    await directory.waitForCaches()
    // The clients receive what is pending, and then their loops end.
    boards.board.finish()
    painting?.cancel()
    await server?.end(within: .seconds(4))
    await serving?.value

    // The task of a sequence waits for the next state for as long as its publisher lives. It is cancelled after the
    // drain, because cancelling drops the states in its buffer.
    var reports: [SummaryReport] = []
    for summary in summaries {
      summary.cancel()
      reports.append(await summary.value)
    }
    let lines = reports.map(\.description) + (log.map { ["\($0)"] } ?? []) + table(with: reports).lines
    for line in lines { console.print(monitor.fitted(line)) }
    try record?.write(text)
  }

  /// Starts a task that loads again and again, or follows another process, until it is cancelled.
  ///
  /// A load that is active then is cancelled, because no other task waits for it, and its publisher returns to the
  /// previous state.
  private func poll<Value: Codable & Sendable>(_ manager: any Manager<Value>) -> Task<Void, Never> {
    start { [interval = arguments.interval] in
      if let manager = manager as? LoadingManager<Value> {
        await manager.refresh(every: interval)
      } else {
        try await Server.follow(manager)
      }
    }
  }

  /// Starts a task that writes every state to a server until it is cancelled, and then everything that is left.
  private func write<Value: Codable & Sendable>(_ manager: any Manager<Value>, to server: Server) -> Task<Void, Never> {
    start { [console] in try await server.write(manager.publisher, console) }
  }

  /// Starts a task that reports the error with which it ends.
  private func start(_ body: @escaping () async throws -> Void) -> Task<Void, Never> {
    Task { [console] in
      do { try await body() } catch { console.report("\(error)") }
    }
  }
}
