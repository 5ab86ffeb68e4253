/// One call of a client: from when to when, and what it means for a register with versions.
struct ClientCall {
  /// The strand that made it.
  let client: Int
  let invocation: Int
  var response: Int
  var effect: Effect?

  /// A change of the register, or something that was learnt of it.
  enum Effect: Equatable {
    case write(Change)
    /// Reads, changes and writes at once.
    case update(from: Content, to: Content, version: UInt64)
    case read(version: UInt64, Content)
    /// Read without its version.
    case readContent(Content)
    /// A subscription takes the version as its first, which is known if it was seen.
    case join(member: Int, replay: UInt64?)
    /// The subscription ends, and had been given that many versions.
    case leave(member: Int, put: Int)

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
