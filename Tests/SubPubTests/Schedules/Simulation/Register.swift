import SubPub
import Support

/// The sequential model of a publisher: its content, its version, and the first versions of its subscriptions.
struct Register: SequentialModel {
  enum Effect {
    case write((Content) -> Content)
    /// Reads, changes and writes in one step.
    case update(from: Content, to: Content, version: UInt64)
    /// The version is nil if it wasn't read.
    case read(version: UInt64?, Content)
    /// The publisher takes no further writes.
    case finish
    /// A write that was dropped because of that.
    case dropped
    /// A subscription begins with the current version, which is known if it was delivered.
    case join(member: Int, replay: UInt64?)
    /// A subscription ends, after it has received that many versions, which may become known later.
    case leave(member: Int, received: Int?)

    var isWrite: Bool {
      switch self {
      case .write, .update: true
      case .read, .finish, .dropped, .join, .leave: false
      }
    }
  }

  private(set) var version: UInt64 = 0
  private(set) var content = Content.unknown
  private var isFinished = false
  /// For each subscription one more than its first version, and 0 before it begins.
  private var joined: [UInt64]

  init(members: Int) { joined = Array(repeating: 0, count: members) }

  func results(of effect: Effect) -> [Register] {
    if isFinished, effect.isWrite { return [] }
    var next = self
    switch effect {
    case .dropped: if !isFinished { return [] }
    case .finish: next.isFinished = true
    case .write(let change): (next.version, next.content) = (version + 1, change(content))
    case .update(let from, let to, let version):
      guard content == from, self.version + 1 == version else { return [] }
      (next.version, next.content) = (version, to)
    case .read(let version, let content):
      guard version ?? self.version == self.version, self.content == content else { return [] }
    case .join(let member, let replay):
      guard replay ?? version == version else { return [] }
      next.joined[member] = version + 1
    case .leave(let member, let received):
      // It has received everything from its first version to the current one.
      guard let received, joined[member] > 0, joined[member] + UInt64(received) == version + 2 else { return [] }
    }
    return [next]
  }
}

/// A state without its objects, with the numbers of its payloads.
enum Content: Hashable {
  case unknown
  case loading(Int?)
  case loaded(Int)
  case failed(Int, Int?)

  init(_ state: LoadState<Payload>) {
    self =
      switch state {
      case .unknown: .unknown
      case .loading(let previous): .loading(previous.map { Int($0.number) })
      case .loaded(let payload): .loaded(Int(payload.number))
      case .error(let error, let previous):
        .failed((error as? NumberedFailure).map { Int($0.payload.number) } ?? -1, previous.map { Int($0.number) })
      }
  }

  /// The data in it, loaded or previous.
  var data: Int? {
    switch self {
    case .unknown: nil
    case .loading(let previous), .failed(_, let previous): previous
    case .loaded(let number): number
    }
  }

  /// For the trace.
  var code: Int {
    switch self {
    case .unknown: 0
    case .loading(let previous): 1_000 + (previous ?? 0)
    case .loaded(let number): 2_000 + number
    case .failed(let number, let previous): 3_000 + 100 * number + (previous ?? 0)
    }
  }
}

/// An error with a payload, whose number identifies it.
struct NumberedFailure: Error {
  let payload: Payload
}
