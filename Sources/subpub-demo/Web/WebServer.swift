import SubPub

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A web server for the board, on plain sockets and one thread.
///
/// `/events` sends each state of the board as a server-sent event, whose identifier is the publication's. A browser
/// that comes back names the last one that it has received, and misses nothing that the publisher's history still
/// holds. A client that doesn't read is ended by its buffering policy. When the board is finished, each client receives
/// what is pending and a last event.
actor WebServer {
  private let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private let board: Publisher<Board>
  private let metrics: @Sendable () -> String
  private let listener: Int32
  /// Where it listens, with the port that the system has chosen if none was given.
  nonisolated let address: WebAddress
  private var clients: Set<WebClient> = []
  /// Their number, as an event to wait for.
  private let clientCount = Publisher<Int>(label: "web clients")
  private var isEnding = false
  /// The last events that were made, as bytes, for all clients that receive the same publications.
  private var events: [(id: PublicationID, bytes: [UInt8])] = []

  private static let mostClients = 1_000
  /// How many events are kept for other clients: a few bursts of states.
  private static let mostEvents = 32
  /// How many states a client may be behind.
  private static let mostPending = 500

  init(at address: WebAddress, _ board: Publisher<Board>, metrics: @escaping @Sendable () -> String) throws {
    signal(SIGPIPE, SIG_IGN)  // a write to a client that has gone fails instead
    (listener, self.address) = try address.listen()
    loop = try EventLoop()
    (self.board, self.metrics) = (board, metrics)
  }

  /// Accepts clients until `end(within:)`.
  func run() async {
    while !isEnding {
      guard await loop.wait(for: listener, POLLIN, until: .now + .seconds(1)), !isEnding else { continue }
      while let client = WebClient(from: listener, loop) {
        clients.insert(client)
        clientCount.updateData(clients.count)
        Task {
          await serve(client)
          client.end()
          clients.remove(client)
          clientCount.updateData(clients.count)
        }
      }
    }
    close(listener)
  }

  /// Returns when all clients have received everything, or at the limit; the board has to be finished before.
  func end(within limit: Duration) async {
    isEnding = true
    clientCount.updateData(clients.count)
    let timer = Task {
      try await Task.sleep(for: limit)
      for client in clients { client.abort() }
    }
    for await count in clientCount.values(buffering: .latest) where count == 0 { break }
    timer.cancel()
  }

  // MARK: Requests

  private func serve(_ client: WebClient) async {
    if clients.count > Self.mostClients { return await client.answer(.unavailable) }
    switch await client.request() {
    case .failure(let status): await client.answer(status)
    case .success(let request):
      switch request.path {
      case "/": await client.answer(.ok, WebPage.html, type: "text/html; charset=utf-8")
      case "/state": await client.answer(.ok, state, type: "application/json")
      case "/metrics": await client.answer(.ok, metrics(), type: "text/plain; version=0.0.4")
      case "/events": await sendEvents(to: client, after: request.lastEvent)
      default: await client.answer(.notFound)
      }
    }
  }

  private var state: String {
    let current = board.current
    return #"{"id":"\#(current.id)","rows":\#(current.state.value?.json ?? "[]")}"#
  }

  /// Sends each state as an event, and a last one if the server ends.
  private func sendEvents(to client: WebClient, after id: PublicationID?) async {
    let label = "client \(client.number)"
    var states = board.publications(after: id, buffering: .ending(Self.mostPending), label: label).makeAsyncIterator()
    // A client that doesn't read holds up its loop in `send`, so somebody else has to notice that it has fallen behind.
    let watcher = Task { [subscription = states.subscription] in
      if await subscription.ended() == .fellBehind { client.abort() }
    }
    defer { watcher.cancel() }
    guard await client.send(WebClient.head(.ok, type: "text/event-stream") + "retry: 500\n\n") else { return }
    while let publication = await states.next() {
      var bytes = event(for: publication)
      // Whatever else is pending goes with it.
      while bytes.count < 65_536, states.statistics.pending > 0, let next = await states.next() {
        bytes += event(for: next)
      }
      guard await client.send(bytes) else { return }
    }
    if states.end == .publisherEnded { _ = await client.send("event: end\ndata: the server ends\n\n") }
  }

  private func event(for publication: Publication<Board>) -> [UInt8] {
    if let found = events.last(where: { $0.id == publication.id }) { return found.bytes }
    let bytes = Array("id: \(publication.id)\ndata: \(publication.state.value?.json ?? "[]")\n\n".utf8)
    if events.count == Self.mostEvents { events.removeFirst() }
    events.append((publication.id, bytes))
    return bytes
  }
}
