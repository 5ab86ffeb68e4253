#if Redis
  import SubPub

  /// An entry on its way to the stream.
  struct OutletEntry {
    let id: EntryID
    /// The id and the fields: what follows the beginning of the command that adds it.
    let arguments: RedisCommand
    let publication: PublicationID
    /// When the outlet took the state, in milliseconds since 1970.
    let sent: Int64
    /// The data that the key had before this state.
    let before: EncodedData?
    /// Whether it is an error in place of a state that can't be written.
    var isSubstitute = false
    /// When the state was taken from the publisher.
    var taken: Moment?

    /// Returns an error to write in place of a state that the server doesn't take, or not in time, with the data from
    /// before, unless that is as large.
    func substitute(for settings: OutletMachine.Settings, isLate: Bool, data largest: Int) -> OutletEntry {
      let isLarge = before?.bytes.map { $0.count >= largest } ?? false
      let before = isLarge ? .unknown : before
      var arguments = RedisCommand("\(id)")
      let size = "this state of \(self.arguments.byteCount) bytes"
      let reason: RedisError.Reason =
        isLate
        ? .unreachable("\(size) takes longer to be written than the endpoint's replyTimeout allows")
        : .refused(
          "the server closes the connection whenever \(size) is sent: look at its proto-max-bulk-len and"
            + " client-query-buffer-limit")
      let error = RedisError(endpoint: settings.endpoint, key: settings.key, reason: reason)
      arguments.append(.error, before, error)
      arguments.append(publication, sent: sent)
      return OutletEntry(
        id: id, arguments: arguments, publication: publication, sent: sent, before: before, isSubstitute: true,
        taken: taken)
    }
  }

  /// A state, as a publisher has it.
  struct PublishedState<Value: Sendable> {
    let state: LoadState<Value>
    let origin: DataOrigin?
    /// When the data was new, in milliseconds since 1970; nil if the publisher doesn't know.
    let since: Int64?
    let id: PublicationID
    /// Whether the data comes from another process than the identifier, as in a relay's own states.
    let isDataInherited: Bool
    let version: UInt64
  }

  /// Turns states into entries.
  struct EntryEncoder<Value: Sendable> {
    private let coder: RedisCoder<Value>
    private let (endpoint, key): (RedisEndpoint, String)
    /// The initial capacity of an entry, in bytes: what most need.
    private static var typicalByteCount: Int { 256 }

    /// When the data of the last state was new, in milliseconds since 1970.
    private var since: Int64?
    /// The data of the last state that could be encoded; nil after one without data.
    private var former: EncodedData?
    /// The data that the key had before this run; nil if it had none, and once the publisher has data of its own, or
    /// was reset.
    private var inherited: EncodedData? = .unknown

    init(_ coder: RedisCoder<Value>, _ endpoint: RedisEndpoint, key: String) {
      (self.coder, self.endpoint, self.key) = (coder, endpoint, key)
    }

    /// Begins with the last entry of the key.
    ///
    /// A publisher that has just been started, and has loaded nothing yet, doesn't take its data away.
    mutating func begin(after last: StreamEntry?) {
      guard let last else { return }
      let value = last.value.map {
        EncodedData(bytes: $0, origin: last.origin, since: last.since, isInherited: true)
      }
      // An entry of which only the id was read has no phase.
      inherited = value ?? (last.isInherited || last.phase == nil ? .unknown : nil)
    }

    /// Encodes a state, at a time in milliseconds since 1970; one that can't be encoded becomes an error that says so,
    /// with the data from before (5.01).
    ///
    /// Returns nil if there is nothing to write, because the publisher hasn't published anything yet.
    mutating func entry(for published: PublishedState<Value>, token: UInt64, at now: Int64) -> OutletEntry? {
      let state = published.state
      if state.phase == .unknown {
        let wasReset = published.version != 0 && published.id != .nothing
        if !wasReset { return nil }
        inherited = nil
      }
      let id = EntryID(epoch: token, version: published.version)
      // Data that is only carried along keeps its time; data whose age the publisher doesn't measure is new now.
      since = state.value == nil ? nil : published.since ?? (state.phase == .loaded ? now : since)
      let before = former ?? inherited
      var (arguments, isSubstitute) = (RedisCommand(), false)
      arguments.reserve(Self.typicalByteCount)
      arguments.append(id.epoch, id.version)
      do {
        former = try state.value.map { value throws(RedisError.Reason) in
          EncodedData(
            bytes: try coder.encode(value), origin: published.origin, since: since,
            isInherited: published.isDataInherited)
        }
        arguments.append(state.phase, former ?? inherited, state.error)
        if former != nil { inherited = nil }
      } catch {
        isSubstitute = true
        arguments.append(.error, before, RedisError(endpoint: endpoint, key: key, reason: error))
      }
      arguments.append(published.id, sent: now)
      return OutletEntry(
        id: id, arguments: arguments, publication: published.id, sent: now, before: before, isSubstitute: isSubstitute)
    }
  }

  /// States become entries.
  extension RedisCommand {
    /// Appends the fields of the state.
    mutating func append(_ phase: LoadPhase, _ data: EncodedData?, _ error: (any Error)?) {
      append(Field.phase.argument)
      append(phase.rawValue)
      if let data {
        if let bytes = data.bytes {
          append(Field.value.argument)
          append(bytes)
        }
        if let origin = data.origin {
          append(Field.origin.argument)
          append(origin.rawValue)
        }
        if let since = data.since {
          append(Field.since.argument)
          append(since)
        }
        if data.isInherited {
          append(Field.inherited.argument)
          append("1")
        }
      }
      if let error { append(error) }
    }

    /// Appends the identifier that the publication has in every process, and when the state was taken.
    mutating func append(_ id: PublicationID, sent: Int64) {
      append(Field.publication.argument)
      append(id.epoch, id.version)
      append(Field.sent.argument)
      append(sent)
    }

    /// Appends the fields of an error; one that comes from another process stays what it is.
    private mutating func append(_ error: any Error) {
      let remote = error as? RemoteError
      append(Field.errorType.argument)
      append((remote?.type ?? String(reflecting: type(of: error))).shortened)
      append(Field.error.argument)
      append((remote?.message ?? String(describing: error)).shortened)
    }
  }

  /// Data of a state, as an entry holds it.
  struct EncodedData {
    /// Data that the outlet doesn't know, because the server has lost it: whoever reads that keeps what they have.
    static let unknown = EncodedData(bytes: nil, isInherited: true)

    let bytes: [UInt8]?
    var origin: DataOrigin?
    /// When the data was new, in milliseconds since 1970.
    var since: Int64?
    /// Whether it isn't that of the publishing process.
    var isInherited = false
  }
#endif
