#if Redis
  import SubPub

  /// The value of an entry that several mirrors read, which those that decode in the same way decode once.
  final class SharedValue: Sendable {
    /// A value for each way of decoding, of which there are few.
    private let state: Locked<(left: Int, decoded: [(coding: SharedCoding, value: any Sendable)])>

    /// Keeps the values until so many mirrors have taken one.
    init(among count: Int) { state = Locked((left: count, decoded: [])) }

    func value<Value>(of bytes: [UInt8], by coder: RedisCoder<Value>) throws -> Value {
      guard let coding = coder.coding else { return try coder.decode(bytes) }
      // What is dropped is foreign, and outlives the lock.
      let decoded = state.withLock { state in
        state.left -= 1
        defer { if state.left == 0 { state.decoded = [] } }
        return state.decoded
      }
      if let found = decoded.first(where: { $0.coding == coding })?.value as? Value { return found }
      let value = try coder.decode(bytes)
      state.withLock { state in if state.left > 0 { state.decoded.append((coding, value)) } }
      return value
    }
  }

  /// Tells whether coders decode in the same way: those for JSON do if their values and their limits are the same.
  struct SharedCoding: Equatable {
    let type: ObjectIdentifier
    let maxBytes: Int
  }
#endif
