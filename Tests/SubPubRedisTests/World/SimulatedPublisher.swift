#if Redis && (DEBUG || TESTABLE)
  import SubPub
  @testable import SubPubRedis

  /// A publisher, as far as an outlet needs one.
  final class SimulatedPublisher {
    let epoch: UInt64
    private(set) var version: UInt64 = 0
    private(set) var states: [UInt64: PublishedState<String>] = [:]
    /// Whether a mirror publishes here.
    let isRelay: Bool
    var outlets: [SimulatedOutlet] = []

    /// How many bytes some states have, and how rare they are.
    private let large: (byteCount: Int, distance: UInt64)

    init(epoch: UInt64, isRelay: Bool = false, large: (byteCount: Int, distance: UInt64) = (1, 16)) {
      (self.epoch, self.isRelay, self.large) = (epoch, isRelay, large)
    }

    func isLarge(_ version: UInt64) -> Bool { version % large.distance == 3 }
    func byteCount(of version: UInt64) -> Int {
      let isWritten = states[version]?.state.value.flatMap { EntryID(Array($0.utf8)[...]) } != nil
      return isWritten && isLarge(version) ? large.byteCount : 1
    }

    /// How values are written, of which some can't be, and some can't be read.
    ///
    /// Spaces behind a value make no difference.
    func coder() -> RedisCoder<String> {
      RedisCoder { [large] value in
        if value.hasPrefix("unencodable") { throw RedisError.Reason.unreachable(value) }
        let isLarge = EntryID(Array(value.utf8)[...]).map { $0.version % large.distance == 3 } ?? false
        return Array(value.utf8) + [UInt8](repeating: 32, count: isLarge ? large.byteCount : 1)
      } decode: { bytes in
        let value = String(decoding: bytes.prefix { $0 != 32 }, as: UTF8.self)
        if value.hasPrefix("unreadable") { throw RedisError.Reason.unreachable(value) }
        return value
      }
    }

    /// Publishes new data, whose value is its identifier, or something that can't be written or read.
    func publish(at time: UInt64, damage: String = "") {
      set(.loaded("\(damage)\(epoch)-\(version + 1)"), since: Int64(time))
    }

    /// Publishes a state; without an identifier, under a new one.
    func set(
      _ state: LoadState<String>, origin: DataOrigin? = nil, since: Int64? = nil, id: PublicationID? = nil,
      isDataInherited: Bool = false
    ) {
      version += 1
      states[version] = PublishedState(
        state: state, origin: origin, since: since, id: id ?? PublicationID(epoch: epoch, version: version),
        isDataInherited: id == nil ? isRelay : isDataInherited, version: version)
      for outlet in outlets { outlet.published(version) }
    }
  }
#endif
