#if Redis
  import SubPub

  /// The value of an entry, which is decoded once for all mirrors of the key that decode in the same way.
  final class SharedValue: Sendable {
    let bytes: [UInt8]
    /// The value, and how it was decoded.
    private let decoded = Locked<(coding: SharedCoding, value: any Sendable)?>(nil)

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func value<Value>(by coder: RedisCoder<Value>) throws -> Value {
      guard let coding = coder.coding else { return try coder.decode(bytes) }
      if let (found, value) = decoded.withLock({ $0 }), found == coding, let value = value as? Value { return value }
      let value = try coder.decode(bytes)
      // The former one is foreign, and outlives the lock.
      decoded.withLock { decoded in
        defer { decoded = (coding, value) }
        return decoded
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
