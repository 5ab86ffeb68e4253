/// One call of a client, and its effect on a register with versions.
struct ClientCall {
  /// The strand that made it.
  let client: Int
  let invocation: Int
  var response: Int
  var effect: Effect?

  /// A change of the register, or something that the call has learned about it.
  enum Effect: Equatable {
    case write(Change)
    /// Reads, changes and writes in one step.
    case update(from: Content, to: Content, version: UInt64)
    case read(version: UInt64, Content)
    /// Read without its version.
    case readContent(Content)
    /// A subscription begins with the current version, which is known if it was delivered.
    case join(member: Int, replay: UInt64?)
    /// A subscription ends, after it has received that many versions.
    case leave(member: Int, received: Int)

    var isWrite: Bool {
      switch self {
      case .write, .update: true
      case .read, .readContent, .join, .leave: false
      }
    }
  }

  enum Change: Equatable {
    case set(Content)
    case load
    case fail(Int)
    case again
  }
}

extension Content {
  func changed(by change: ClientCall.Change) -> Content {
    switch change {
    case .set(let content): content
    case .load: .loading(data)
    case .fail(let number): .failed(number, data)
    case .again: self
    }
  }
}
