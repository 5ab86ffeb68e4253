import SubPub
import SubPubTesting

/// The sample app of the seed documents: a service with random delays and errors, managers that load from it, and
/// screens that appear, refresh, leave and log out.
///
/// A seed decides everything.
enum SampleApp {
  /// An element of what the service returns.
  struct Item: Hashable, Sendable {
    /// The number of the login during which it was requested.
    let login: Int
    /// The number of the request that returned it.
    let request: Int
    let page: Int

    /// What the cache contains at the start, which no request has returned.
    static let cached = Item(login: 1, request: -1, page: 0)
  }

  /// The service refuses a request.
  struct Refusal: Error, Hashable { let request: Int }

  static let staleAfter = Duration.seconds(2)
  static let timeout = Duration.seconds(1)

  /// What a user does on a screen.
  enum Action: Hashable, Sendable {
    case appear, refresh, restart, loadNextPage, leave, invalidate, logout

    static func draw(_ random: inout SeededGenerator) -> Action {
      switch random.draw(48) {
      case 0..<10: .appear
      case 10..<18: .refresh
      case 18..<22: .restart
      case 22..<31: .loadNextPage
      case 31..<40: .leave
      case 40..<46: .invalidate
      default: .logout
      }
    }
  }

  /// A publication whose values can be compared and printed, whatever its type.
  struct Snapshot: Hashable, Sendable, CustomStringConvertible {
    let version: UInt64
    let phase: LoadPhase
    let items: [Item]
    let error: String?
    let isCached: Bool

    init<Value: Sendable>(_ publication: Publication<Value>, _ items: (Value) -> [Item]) {
      version = publication.version
      phase = publication.phase
      self.items = publication.state.value.map(items) ?? []
      error = publication.error.map { "\($0)" }
      isCached = publication.origin == .cached
    }

    var description: String {
      let items = items.map { "\($0.login).\($0.request).\($0.page)" }.joined(separator: " ")
      return "\(version) \(phase) [\(items)] \(error ?? "")"
    }
  }

  /// A subscriber that records everything it receives.
  final class Screen<Value: Sendable>: TypedSubscriber, Subscriber {
    enum Kind: CaseIterable { case typedOnExecutor, untypedOnPublishingThread, latestOnActor }

    let kind: Kind
    private let actor: ManualHost
    private let items: @Sendable (Value) -> [Item]
    private let list = Locked<[Snapshot]>([])

    init(_ kind: Kind, _ executor: ManualExecutor, _ items: @escaping @Sendable (Value) -> [Item]) {
      self.kind = kind
      self.items = items
      actor = ManualHost(executor)
    }

    var received: [Snapshot] { list.withLock { $0 } }

    func subscribe(to publisher: Publisher<Value>) {
      switch kind {
      case .typedOnExecutor: publisher.subscribe(self, on: .executor(actor.executor))
      case .untypedOnPublishingThread: publisher.subscribe(self as any Subscriber, on: .immediate)
      case .latestOnActor: publisher.subscribe(self, on: .actor(actor), buffering: .latest)
      }
    }

    func receive(_ publication: any AnyPublication) {
      if let publication = publication as? Publication<Value> { receive(publication) }
    }

    func receive(_ publication: Publication<Value>) {
      if kind == .latestOnActor { actor.preconditionIsolated() }
      let snapshot = Snapshot(publication, items)
      list.withLock { $0.append(snapshot) }
    }
  }
}
