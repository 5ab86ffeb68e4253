#if Redis
  import Foundation
  import SubPub

  /// The identity of a state in a stream: the outlet's epoch and the publisher's version.
  struct EntryID: Hashable, Comparable, Sendable, CustomStringConvertible {
    var epoch: UInt64
    var version: UInt64

    static func < (left: Self, right: Self) -> Bool { (left.epoch, left.version) < (right.epoch, right.version) }

    var description: String { "\(epoch)-\(version)" }

    init(epoch: UInt64, version: UInt64) {
      self.epoch = epoch
      self.version = version
    }

    /// Parses what the server sends; nil if it isn't an id.
    init?(_ bytes: [UInt8]) {
      let parts = bytes.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
      guard parts.count == 2, let epoch = UInt64(String(decoding: parts[0], as: UTF8.self)),
        let version = UInt64(String(decoding: parts[1], as: UTF8.self))
      else { return nil }
      self.init(epoch: epoch, version: version)
    }
  }

  /// An entry of a stream, as the server sends it: an id, and names with values.
  struct StreamEntry: Equatable {
    let id: EntryID
    let fields: [[UInt8]]

    init?(_ reply: RedisReply) {
      guard case .array(let parts) = reply, parts.count == 2, case .bytes(let id) = parts[0], let id = EntryID(id)
      else { return nil }
      self.id = id
      // An entry that was deleted while it was read has no fields.
      guard case .array(let fields) = parts[1] else {
        self.fields = []
        return
      }
      self.fields = fields.map { if case .bytes(let bytes) = $0 { bytes } else { [] } }
    }

    /// Parses the entries of one stream.
    static func entries(_ reply: RedisReply) -> [StreamEntry] {
      guard case .array(let entries) = reply else { return [] }
      return entries.compactMap(StreamEntry.init)
    }
  }

  /// The names of an entry's fields.
  private enum Field {
    static let (phase, value, origin, since) = ("phase", "value", "origin", "since")
    static let (errorType, error) = ("error-type", "error")
  }

  /// A state on its way through a stream.
  struct TransferredState<Value: Sendable>: Sendable {
    let state: LoadState<Value>
    let origin: DataOrigin?
    /// When the data was new, in milliseconds since 1970; nil without data.
    let since: Int64?

    init(_ state: LoadState<Value>, origin: DataOrigin?, since: Int64?) {
      (self.state, self.origin, self.since) = (state, origin, since)
    }

    /// Returns the names and values of the entry's fields.
    func fields(by coder: RedisCoder<Value>) throws(RedisError.Reason) -> [(name: String, value: [UInt8])] {
      var fields = [(name: Field.phase, value: Array(state.phase.name.utf8))]
      if let value = state.value { fields.append((Field.value, try coder.encode(value))) }
      if let origin { fields.append((Field.origin, Array(origin.name.utf8))) }
      if let since { fields.append((Field.since, Array(String(since).utf8))) }
      if let error = state.error { fields += Self.fields(of: error) }
      return fields
    }

    /// Returns the fields of an error without data.
    static func fields(ofState error: RedisError) -> [(name: String, value: [UInt8])] {
      [(Field.phase, Array(LoadPhase.error.name.utf8))] + fields(of: error)
    }

    /// Returns the fields for an error; one that comes from another process stays what it is.
    private static func fields(of error: any Error) -> [(name: String, value: [UInt8])] {
      let remote = error as? RemoteError
      return [
        (Field.errorType, Array((remote?.type ?? String(reflecting: type(of: error))).utf8)),
        (Field.error, Array((remote?.message ?? String(describing: error)).utf8)),
      ]
    }

    /// Decodes an entry, which anybody may have written (8.05).
    init(_ entry: StreamEntry, by coder: RedisCoder<Value>) throws(RedisError.Reason) {
      func undecodable(_ what: String) -> RedisError.Reason { .undecodable(entry: "\(entry.id)", what) }
      func bytes(_ name: String) -> [UInt8]? {
        stride(from: 0, to: entry.fields.count - 1, by: 2).first { entry.fields[$0].elementsEqual(name.utf8) }
          .map { entry.fields[$0 + 1] }
      }
      func text(_ name: String) -> String? { bytes(name).map { String(decoding: $0, as: UTF8.self) } }

      guard let name = text(Field.phase) else { throw undecodable("it has no field \(Field.phase)") }
      guard let phase = LoadPhase(name: name) else {
        throw undecodable("its phase is \(name.prefix(40).debugDescription)")
      }
      let value: Value?
      do { value = try bytes(Field.value).map(coder.decode) } catch { throw undecodable(String(describing: error)) }
      switch phase {
      case .unknown: state = .unknown
      case .loading: state = .loading(previous: value)
      case .loaded:
        guard let value else { throw undecodable("it is loaded, and has no field \(Field.value)") }
        state = .loaded(value)
      case .error:
        let error = RemoteError(type: text(Field.errorType) ?? "", message: text(Field.error) ?? "")
        state = .error(error, previous: value)
      }
      origin = state.value == nil ? nil : text(Field.origin).flatMap(DataOrigin.init(name:)) ?? .published
      since = state.value == nil ? nil : text(Field.since).flatMap(Int64.init)
    }
  }

  extension LoadPhase {
    fileprivate var name: String {
      switch self {
      case .unknown: "unknown"
      case .loading: "loading"
      case .loaded: "loaded"
      case .error: "error"
      }
    }

    fileprivate init?(name: String) {
      guard let phase = [LoadPhase.unknown, .loading, .loaded, .error].first(where: { $0.name == name }) else {
        return nil
      }
      self = phase
    }
  }

  extension DataOrigin {
    fileprivate var name: String {
      switch self {
      case .published: "published"
      case .loaded: "loaded"
      case .cached: "cached"
      case .edited: "edited"
      }
    }

    fileprivate init?(name: String) {
      guard let origin = [DataOrigin.published, .loaded, .cached, .edited].first(where: { $0.name == name }) else {
        return nil
      }
      self = origin
    }
  }
#endif
