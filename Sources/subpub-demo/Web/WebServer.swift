import Foundation
import SubPub

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A web server for the board and the picture, on plain sockets and one thread.
///
/// `/events` sends each state of the board as a server-sent event, whose identifier is the publication's. A browser
/// that comes back names the last one that it has received, and misses nothing that the publisher's history still
/// holds. A client that doesn't read is ended by its buffering policy, and one that has gone is noticed at once. When
/// there are as many clients as the process may have, the others wait in the system's queue. When the board is
/// finished, each client receives what is pending and a last event.
actor WebServer {
  private let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private let board: Publisher<Board>
  private let painter: Painter
  private let purpose: OnPurpose
  private let listener: Int32
  /// Where it listens, with the port that the system has chosen if none was given.
  nonisolated let address: WebAddress
  private var clients: Set<WebClient> = []
  /// Their number, as an event to wait for.
  private let clientCount = Publisher<Int>(label: "web clients")
  private var isEnding = false
  /// The last events that were made, as bytes, for all clients that receive the same publications.
  private var events: [(id: PublicationID, bytes: [UInt8])] = []

  /// As many as the process may open files, without those that it needs otherwise.
  private let mostClients: Int
  private static let mostEver = 10_000
  /// How many events are kept for other clients: a few bursts of states.
  private static let mostEvents = 32
  /// How many states a client may be behind.
  private static let mostPending = 500

  /// Creates a server, which leaves so many of the files that the process may still open to others.
  init(
    at address: WebAddress, _ board: Publisher<Board>, _ painter: Painter, _ purpose: OnPurpose,
    reservingFiles reserve: Int
  ) throws {
    signal(SIGPIPE, SIG_IGN)  // a write to a client that has gone fails instead
    (listener, self.address) = try address.listen()
    loop = try EventLoop()
    // Without a limit, -1. A process that has no file left fails in places that expect no failure, such as Dispatch.
    let limit = sysconf(Int32(_SC_OPEN_MAX))
    let most = limit < 0 ? Self.mostEver : min(limit, Self.mostEver)
    let open = (0..<Int32(most)).count { fcntl($0, F_GETFD) >= 0 }
    mostClients = max(1, most - open - reserve)
    (self.board, self.painter, self.purpose) = (board, painter, purpose)
  }

  /// Accepts clients until `end(within:)`.
  func run() async {
    while !isEnding {
      await waitForRoom()
      guard !isEnding, await loop.wait(for: listener, POLLIN, until: .now + .seconds(1)), !isEnding else { continue }
      do throws(SystemError) {
        while clients.count < mostClients, let client = try WebClient.accept(from: listener, loop) { add(client) }
      } catch {
        // Others have taken the last descriptors, or the memory. The listener stays ready, so it is left alone for a
        // bit.
        try? await Task.sleep(for: .milliseconds(100))
      }
    }
    close(listener)
  }

  /// Returns when another client can be served, or the server ends; until then, nobody looks at the listener.
  private func waitForRoom() async {
    guard clients.count >= mostClients else { return }
    for await count in clientCount.values(buffering: .latest) where count < mostClients || isEnding { break }
  }

  private func add(_ client: WebClient) {
    clients.insert(client)
    clientCount.updateData(clients.count)
    Task {
      await serve(client)
      client.end()
      clients.remove(client)
      clientCount.updateData(clients.count)
    }
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
    let request = await client.request()
    if let refusal = request.refusal { return await client.answer(request, refusal) }
    guard address.isMeant(byRequestFor: request.host) else { return await client.answer(request, .misdirected) }
    switch request.path {
    case "/": await client.answer(request, .ok, WebPage.html, type: "text/html; charset=utf-8", WebPage.headers)
    case "/state": await client.answer(request, .ok, state, type: "application/json")
    case "/metrics":
      await client.answer(request, .ok, Metrics.text(of: painter.snapshots()), type: "text/plain; version=0.0.4")
    case WebRequest.switches: await client.answer(request, turnSwitches(as: request))
    case "/events":
      let isStarted = await client.send(WebClient.head(.ok, type: "text/event-stream"))
      if isStarted, !request.isHead { await sendEvents(to: client, request) }
    default: await client.answer(request, .notFound)
    }
  }

  private var state: String {
    let current = board.current
    return #"{"id":"\#(current.id)","rows":\#(current.state.value?.json ?? "[]")}"#
  }

  /// Does what the page's switches ask for; no other page may do that.
  private func turnSwitches(as request: WebRequest) -> WebStatus {
    guard request.isFromOwnPage else { return .forbidden }
    guard let change = try? JSONDecoder().decode(TroubleChange.self, from: Data(request.body)) else {
      return .badRequest
    }
    purpose.make(change)
    return .noContent
  }

  /// Sends each state as an event, and a last one if the server ends.
  private func sendEvents(to client: WebClient, _ request: WebRequest) async {
    let label = "client \(client.number)"
    var states = board.publications(after: request.lastEvent, buffering: .ending(Self.mostPending), label: label)
      .makeAsyncIterator()
    let subscription = states.subscription
    // A client that doesn't read holds up its loop in `send`, so somebody else has to notice that it has fallen behind.
    let laggard = Task { if await subscription.ended() == .fellBehind { client.abort() } }
    // The next state may be an hour away, so somebody else has to notice that the client has gone, too.
    let leaver = Task {
      await client.waitForEnd()
      subscription.cancel()
    }
    let pictures = Task { if request.wantsPictures { await sendPictures(to: client, named: label) } }
    await send(&states, to: client)
    pictures.cancel()
    // Nobody may wait for the socket when it is closed.
    client.abort()
    await pictures.value
    await leaver.value
    laggard.cancel()
  }

  private func sendPictures(to client: WebClient, named label: String) async {
    guard await client.send("event: you\ndata: \(label)\n\n") else { return }
    for await event in painter.picture.values(buffering: .latest) {
      guard await client.send(event) else { return }
    }
  }

  private func send(_ states: inout PublicationSequence<Board>.Iterator, to client: WebClient) async {
    guard await client.send("retry: 500\n\n") else { return }
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
