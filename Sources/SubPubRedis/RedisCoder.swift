#if Redis
  import Foundation
  import SubPub

  /// How values become bytes, and bytes values.
  public struct RedisCoder<Value: Sendable>: Sendable {
    /// The largest number of bytes that an encoded value may have.
    public let maxBytes: Int
    private let encodeValue: @Sendable (Value) throws -> [UInt8]
    private let decodeValue: @Sendable ([UInt8]) throws -> Value
    /// Which other coders decode in the same way; nil if that isn't known.
    private(set) var coding: SharedCoding?

    /// Creates a coder from two closures.
    ///
    /// Both are called on a thread of the outlet or the mirror, while no lock is held.
    ///
    /// - Parameters:
    ///   - maxBytes: The largest number of bytes that an encoded value may have; 16 MiB by default. Larger values are
    ///     errors on both sides.
    ///   - encode: Encodes a value. An error is written in place of the state.
    ///   - decode: Decodes a value that `encode` has encoded, in this process or in another. An error becomes the
    ///     mirror's state (8.05).
    /// - Precondition: `maxBytes` is at least 1, and at most 512 MiB, which is the server's own limit.
    public init(
      maxBytes: Int = 16 << 20, encode: @escaping @Sendable (Value) throws -> [UInt8],
      decode: @escaping @Sendable ([UInt8]) throws -> Value
    ) {
      guard (1...512 << 20).contains(maxBytes) else {
        stopForMisuse("maxBytes is \(maxBytes): give at least 1, and at most 512 MiB, which is the server's limit")
      }
      self.maxBytes = maxBytes
      encodeValue = encode
      decodeValue = decode
    }

    func encode(_ value: Value) throws(RedisError.Reason) -> [UInt8] {
      let bytes: [UInt8]
      do { bytes = try encodeValue(value) } catch { throw .unencodable(String(describing: error).shortened) }
      guard bytes.count <= maxBytes else { throw .tooLarge(bytes: bytes.count, limit: maxBytes) }
      return bytes
    }

    func decode(_ bytes: [UInt8]) throws -> Value {
      guard bytes.count <= maxBytes else { throw RedisError.Reason.tooLarge(bytes: bytes.count, limit: maxBytes) }
      return try decodeValue(bytes)
    }
  }

  extension RedisCoder where Value: Codable {
    /// Returns a coder for JSON.
    ///
    /// The mirrors of a key that use it decode each value once, and share it.
    ///
    /// - Parameter maxBytes: The largest number of bytes that an encoded value may have; 16 MiB by default.
    /// - Returns: The coder.
    public static func json(maxBytes: Int = 16 << 20) -> RedisCoder {
      let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
      var coder = RedisCoder(maxBytes: maxBytes) { value in
        try [UInt8](encoder.encode(value))
      } decode: { bytes in
        try decoder.decode(Value.self, from: Data(bytes))
      }
      coder.coding = SharedCoding(type: ObjectIdentifier(Value.self), maxBytes: maxBytes)
      return coder
    }
  }
#endif
