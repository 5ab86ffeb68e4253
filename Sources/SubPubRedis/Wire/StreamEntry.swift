#if Redis
  import SubPub

  /// The identity of a state in a stream: the outlet's epoch and the publisher's version.
  ///
  /// This epoch is the outlet's number, which is counted in the key with `:epoch` appended. That of a ``PublicationID``
  /// is the publisher's.
  struct EntryID: Hashable, Comparable, Sendable, CustomStringConvertible {
    let epoch: UInt64
    let version: UInt64

    static func < (left: Self, right: Self) -> Bool { (left.epoch, left.version) < (right.epoch, right.version) }

    /// Before all entries.
    static var zero: EntryID { EntryID(epoch: 0, version: 0) }

    /// The greatest id before this one; zero if there is none.
    var predecessor: EntryID {
      if version > 0 { return EntryID(epoch: epoch, version: version - 1) }
      return epoch > 0 ? EntryID(epoch: epoch - 1, version: .max) : .zero
    }

    var description: String { "\(epoch)-\(version)" }
  }

  extension EntryID {
    /// Parses what the server sends; nil if it isn't an id.
    init?(_ bytes: ArraySlice<UInt8>) {
      guard let dash = bytes.firstIndex(of: UInt8(ascii: "-")), let epoch = UInt64(digits: bytes[..<dash]),
        let version = UInt64(digits: bytes[(dash + 1)...])
      else { return nil }
      self.init(epoch: epoch, version: version)
    }
  }

  extension UInt64 {
    /// Parses a decimal number; nil if it isn't one, or is too large.
    init?(digits: some Collection<UInt8>) {
      guard !digits.isEmpty else { return nil }
      self = 0
      for digit in digits {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
        let (tens, overflows) = multipliedReportingOverflow(by: 10)
        let (sum, overflowsToo) = tens.addingReportingOverflow(UInt64(digit - UInt8(ascii: "0")))
        guard !overflows, !overflowsToo else { return nil }
        self = sum
      }
    }
  }

  extension Int64 {
    /// Parses a decimal number, which may be negative; nil if it isn't one, or is too large.
    fileprivate init?(digits: ArraySlice<UInt8>) {
      let isNegative = digits.first == UInt8(ascii: "-")
      guard let magnitude = UInt64(digits: isNegative ? digits.dropFirst() : digits),
        magnitude <= Int64.max.magnitude + (isNegative ? 1 : 0)
      else { return nil }
      self = Int64(truncatingIfNeeded: isNegative ? 0 &- magnitude : magnitude)
    }
  }

  extension PublicationID {
    /// The identifier of a mirror's state while the stream doesn't exist: nothing was published.
    static var nothing: PublicationID { PublicationID(epoch: 0, version: 0) }
  }

  /// The name of an entry's field.
  struct Field {
    let bytes: [UInt8]
    /// The name as an argument of a command.
    let argument: RedisCommand

    init(_ name: String) { (bytes, argument) = (Array(name.utf8), RedisCommand(name)) }

    static let phase = Field("phase")
    static let value = Field("value")
    static let origin = Field("origin")
    static let since = Field("since")
    static let sent = Field("sent")
    static let errorType = Field("error-type")
    static let error = Field("error")
    static let publication = Field("publication")
    static let inherited = Field("inherited")
  }

  /// An entry of a stream, as the server sends it: an id, and the fields that a state has.
  struct StreamEntry {
    let id: EntryID
    private(set) var phase: String?
    private(set) var value: [UInt8]?
    /// What several mirrors decode once; nil if each of them decodes by itself.
    var shared: SharedValue?
    /// Where its data comes from.
    private(set) var origin = DataOrigin.published
    private(set) var since: Int64?
    /// When the outlet took the state, in milliseconds since 1970.
    private(set) var sent: Int64?
    private(set) var errorType: String?
    private(set) var error: String?
    /// The identifier of the publication in the publishing process, for clients that come back (6.05).
    private(set) var publication: PublicationID?
    /// Whether its data isn't that of the process that has published it: the outlet has found it at the key, or a relay
    /// passes it on.
    private(set) var isInherited = false

    /// Parses one; without a copy of a ``RedisReply`` for each of its fields.
    private init?(_ memory: ReplyMemory, at index: Int) {
      let parts = memory.array(at: index)
      guard let first = parts.first, let id = EntryID(memory.bytes[memory.text(at: first)]) else { return nil }
      self.id = id
      // An entry that was deleted while it was read has no fields.
      let fields = parts.count > 1 ? memory.array(at: first + 1) : 0..<0
      for name in stride(from: fields.lowerBound, to: fields.upperBound - 1, by: 2) {
        let value = memory.bytes[memory.text(at: name + 1)]
        if memory.isText(at: name, Field.phase.bytes) {
          phase = String(decoding: value, as: UTF8.self)
        } else if memory.isText(at: name, Field.value.bytes) {
          self.value = Array(value)
        } else if memory.isText(at: name, Field.origin.bytes) {
          origin = DataOrigin(rawValue: String(decoding: value, as: UTF8.self)) ?? .published
        } else if memory.isText(at: name, Field.since.bytes) {
          since = Int64(digits: value)
        } else if memory.isText(at: name, Field.sent.bytes) {
          sent = Int64(digits: value)
        } else if memory.isText(at: name, Field.errorType.bytes) {
          errorType = String(decoding: value, as: UTF8.self)
        } else if memory.isText(at: name, Field.error.bytes) {
          error = String(decoding: value, as: UTF8.self)
        } else if memory.isText(at: name, Field.publication.bytes) {
          publication = EntryID(value).map { PublicationID(epoch: $0.epoch, version: $0.version) }
        } else if memory.isText(at: name, Field.inherited.bytes) {
          isInherited = true
        }
      }
    }

    /// Parses one; nil if the reply isn't an entry.
    init?(_ reply: RedisReply?) {
      guard let reply else { return nil }
      self.init(reply.memory, at: reply.index)
    }

    /// Parses the entries of one stream.
    static func entries(_ reply: RedisReply?) -> [StreamEntry] {
      guard let reply else { return [] }
      return reply.memory.array(at: reply.index).compactMap { StreamEntry(reply.memory, at: $0) }
    }
  }

  /// Entries, which anybody may have written (8.05), become states.
  extension StreamEntry {
    func state<Value>(by coder: RedisCoder<Value>) throws(RedisError.Reason) -> LoadState<Value> {
      guard let phase else { throw undecodable("it has no field phase") }
      var value: Value?
      do {
        if let bytes = self.value { value = try shared?.value(of: bytes, by: coder) ?? coder.decode(bytes) }
      } catch {
        throw undecodable(String(describing: error).shortened)
      }
      switch phase {
      case LoadPhase.unknown.rawValue: return .unknown
      case LoadPhase.loading.rawValue: return .loading(previous: value)
      case LoadPhase.loaded.rawValue:
        guard let value else { throw undecodable("it is loaded, and has no field value") }
        return .loaded(value)
      case LoadPhase.error.rawValue:
        let remote = RemoteError(type: (errorType ?? "").shortened, message: (error ?? "").shortened)
        return .error(remote, previous: value)
      default: throw undecodable("its phase is \(phase.prefix(40).debugDescription)")
      }
    }

    /// Whether it brings new data rather than only what was there before.
    var isLoaded: Bool { phase == LoadPhase.loaded.rawValue }

    /// Whether it says that its process loads, or has failed.
    var isLoadingOrFailed: Bool { phase == LoadPhase.loading.rawValue || phase == LoadPhase.error.rawValue }

    private func undecodable(_ what: String) -> RedisError.Reason { .undecodable(entry: "\(id)", what) }
  }
#endif
