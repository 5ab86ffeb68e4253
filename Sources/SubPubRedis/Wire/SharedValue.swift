#if Redis
  import SubPub

  /// The value of an entry that several mirrors read, which those that decode in the same way decode once.
  final class SharedValue: Sendable {
    private let state: Locked<(left: Int, decoded: (coding: SharedCoding, value: any Sendable)?)>

    /// Keeps the value until so many mirrors have taken it.
    init(among count: Int) { state = Locked((left: count, decoded: nil)) }

    func value<Value>(of bytes: [UInt8], by coder: RedisCoder<Value>) throws -> Value {
      guard let coding = coder.coding else { return try coder.decode(bytes) }
      // What is dropped is foreign, and outlives the lock.
      let decoded = state.withLock { state in
        state.left -= 1
        return state.left > 0 ? state.decoded : state.decoded.take()
      }
      if let decoded, decoded.coding == coding, let value = decoded.value as? Value { return value }
      let value = try coder.decode(bytes)
      state.withLock { state in
        defer { if state.left > 0 { state.decoded = (coding, value) } }
        return state.decoded
      }
      return value
    }
  }

  /// Tells whether coders decode in the same way: those for JSON do if their values and their limits are the same.
  struct SharedCoding: Equatable {
    let type: ObjectIdentifier
    let maxBytes: Int
  }
#endif
