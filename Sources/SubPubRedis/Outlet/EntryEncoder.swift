#if Redis
  import Foundation
  import SubPub

  /// An entry on its way to the stream.
  struct OutletEntry {
    let id: EntryID
    /// The id and the fields: what follows the beginning of the command that adds it.
    let arguments: RedisCommand
    let publication: PublicationID
    /// When it was made, in milliseconds since 1970.
    let sent: Int64
    /// The data that the key had before this state.
    let before: EncodedData?
    /// Whether it is an error in place of a state that can't be written.
    var isSubstitute = false
    /// When the state was taken from the publisher.
    var taken: Moment?

    /// Returns an error to write in place of a state that the server doesn't take, or not in time, with the data from
    /// before.
    func substitute(for settings: OutletMachine.Settings, isTime: Bool) -> OutletEntry {
      var arguments = RedisCommand("\(id)")
      let size = "this state of \(self.arguments.byteCount) bytes"
      let reason: RedisError.Reason =
        isTime
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

  /// Turns publications into entries.
  struct EntryEncoder<Value: Codable & Sendable> {
    private let outlet: RedisOutlet<Value>
    /// How many bytes most entries need, so that their memory needn't grow.
    private static var typicalByteCount: Int { 256 }

    /// When the data of the last state was new, in milliseconds since 1970.
    private var since: Int64?
    /// The data of the last state that could be encoded; nil after one without data.
    private var former: EncodedData?
    /// The data that the key had before this run; nil once the publisher has data of its own, or was reset.
    private var inherited: EncodedData?
    /// The epoch of the publication that has brought the last data: a relay's own states carry other processes' data.
    private var dataEpoch: UInt64?

    init(_ outlet: RedisOutlet<Value>) { self.outlet = outlet }

    /// Begins with the last entry of the key.
    ///
    /// A publisher that has just been started, and has loaded nothing yet, doesn't take its data away.
    mutating func begin(after last: StreamEntry?) {
      inherited = last.flatMap { last in
        last.value.map { EncodedData(bytes: $0, origin: last.dataOrigin, since: last.since, isInherited: true) }
      }
    }

    /// Encodes a state; one that can't be encoded becomes an error that says so, with the data from before (5.01).
    ///
    /// Returns nil if there is nothing to write, because the publisher hasn't published anything yet.
    mutating func entry(for publication: Publication<Value>, token: UInt64) -> OutletEntry? {
      if publication.phase == .unknown {
        let wasReset = publication.version != 0 && publication.id != .nothing
        if !wasReset { return nil }
        inherited = nil
      }
      let id = EntryID(epoch: token, version: publication.version)
      let now = Int64(Date().timeIntervalSince1970 * 1_000)
      updateSince(publication, now)
      let (state, before) = (publication.state, former ?? inherited)
      if publication.phase == .loaded { dataEpoch = publication.id.epoch }
      let isCarried = dataEpoch.map { $0 != publication.id.epoch } ?? false
      var (arguments, isSubstitute) = (RedisCommand(), false)
      arguments.reserve(Self.typicalByteCount)
      arguments.append(id.epoch, id.version)
      do {
        former = try state.value.map { value throws(RedisError.Reason) in
          EncodedData(
            bytes: try outlet.coder.encode(value), origin: publication.origin, since: since, isInherited: isCarried)
        }
        arguments.append(state.phase, former ?? inherited, state.error)
        if former != nil { inherited = nil }
      } catch {
        isSubstitute = true
        arguments.append(.error, before, outlet.error(error))
      }
      arguments.append(publication.id, sent: now)
      return OutletEntry(
        id: id, arguments: arguments, publication: publication.id, sent: now, before: before, isSubstitute: isSubstitute
      )
    }

    /// Data that is only carried along keeps its time; data whose age the publisher doesn't measure is new when it
    /// arrives here.
    private mutating func updateSince(_ publication: Publication<Value>, _ now: Int64) {
      if publication.state.value == nil {
        since = nil
      } else if let age = outlet.publisher.age(of: publication) {
        since = now - Int64(min(age / .milliseconds(1), 1e15))
      } else if publication.phase == .loaded {
        since = now
      }
    }
  }
#endif
