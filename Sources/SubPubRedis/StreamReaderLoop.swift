#if Redis
  import Foundation
  import SubPub

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// The work of a reader's thread.
  ///
  /// One connection reads: `XREAD` waits until one of the streams has a new entry. The other one asks for the last
  /// entries of streams, and ends the wait when a stream is added.
  final class StreamReaderLoop {
    /// How many entries of a stream are read at a time.
    private static let batch = 512
    /// How many entries are passed on before more are asked for.
    private static let few = 16

    private let endpoint: RedisEndpoint
    private let pipe: WakePipe
    private var streams: [[UInt8]: Stream] = [:]
    private var asking: RedisConnection?
    private var reading: RedisConnection?
    /// The server's number of the reading connection.
    private var readingID = ""
    /// When the reply to `XREAD` has to be there; nil if there is no `XREAD`.
    private var deadline: ContinuousClock.Instant?
    /// Whether `XREAD` waits for less than it should.
    private var isOutdated = false
    private var nextCheck = ContinuousClock.now
    /// Whether followers may have ended since they were removed last.
    private var hasEnded = false

    /// A stream that is followed.
    private struct Stream {
      /// The entries after this one are read next.
      var position: EntryID
      var followers: [(follower: StreamFollower, position: EntryID)]
    }

    init(_ endpoint: RedisEndpoint, _ pipe: WakePipe) {
      self.endpoint = endpoint
      self.pipe = pipe
    }

    /// Whether nobody follows a stream.
    var isIdle: Bool {
      removeEnded()
      return streams.isEmpty
    }

    /// Adds followers, and waits until something happens.
    func run(adding added: [(StreamFollower, after: EntryID?)]) {
      do {
        try add(added.filter { !$0.0.hasEnded })
        if !streams.isEmpty { try read() }
      } catch {
        for (follower, _) in added { follower.end(error) }
        for stream in streams.values { for each in stream.followers { each.follower.end(error) } }
        streams = [:]
        (asking, reading, deadline, isOutdated) = (nil, nil, nil, false)
      }
    }

    private func removeEnded() {
      guard hasEnded else { return }
      hasEnded = false
      for key in streams.keys {
        streams[key]?.followers.removeAll { $0.follower.hasEnded }
        if streams[key]?.followers.isEmpty ?? false { streams[key] = nil }
      }
    }
  }

  /// Adding.
  extension StreamReaderLoop {
    /// Asks for the last entries of the streams of new followers, so that these are current at once.
    private func add(_ added: [(StreamFollower, after: EntryID?)]) throws(RedisError.Reason) {
      if added.isEmpty { return }
      let replies = try lastEntries(of: added.map(\.0.key))
      for ((follower, former), reply) in zip(added, replies) {
        if let refusal = reply.refusal {
          follower.end(.refused(refusal))
          continue
        }
        let last = StreamEntry.entries(reply).last
        add(follower, after: begin(follower, former, last))
      }
    }

    /// Tells a follower where the stream stands, and returns the position after which it goes on.
    private func begin(_ follower: StreamFollower, _ former: EntryID?, _ last: StreamEntry?) -> EntryID {
      switch (former, last) {
      case (nil, nil):
        follower.send([.empty])
        return EntryID(epoch: 0, version: 0)  // Before all entries.
      case (nil, let last?):
        follower.send([.entry(last)])
        return last.id
      case (let former?, let last?) where last.id.epoch < former.epoch:
        // The stream was deleted, and began anew.
        follower.send([.entry(last)])
        return last.id
      case (let former?, let last?) where last.id > former: return former
      case (let former?, _):
        follower.send([.unchanged])
        return former
      }
    }

    private func add(_ follower: StreamFollower, after position: EntryID) {
      let known = streams[follower.key]?.position
      if known.map({ position < $0 }) ?? true { isOutdated = deadline != nil }
      var stream = streams[follower.key] ?? Stream(position: position, followers: [])
      stream.position = min(stream.position, position)
      stream.followers.append((follower, position))
      streams[follower.key] = stream
    }

    private func lastEntries(of keys: [[UInt8]]) throws(RedisError.Reason) -> [RedisReply] {
      try askingConnection().replies(to: keys.map { .lastEntry(of: $0) })
    }

    private func askingConnection() throws(RedisError.Reason) -> RedisConnection {
      let connection = if let asking { asking } else { try RedisConnection(to: endpoint) }
      asking = connection
      return connection
    }
  }

  /// Reading.
  extension StreamReaderLoop {
    /// Waits until there are entries, or somebody has woken the thread.
    private func read() throws(RedisError.Reason) {
      let connection = try readingConnection()
      if deadline == nil { try request(over: connection) }
      if isOutdated, let asking {
        // If the server hasn't seen `XREAD` yet, this does nothing, and is tried again.
        _ = try asking.reply(to: RedisCommand("CLIENT", "UNBLOCK", readingID)).get()
      }
      var descriptors = [
        pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: pipe.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      let rest = deadline.map { ContinuousClock.now.duration(to: $0) } ?? .zero
      let isReady = RedisConnection.wait(for: &descriptors, upTo: isOutdated ? .milliseconds(1) : rest)
      if descriptors[1].revents != 0 {
        pipe.clear()
        hasEnded = true
      }
      if let reply = try connection.replyIfPresent() {
        (deadline, isOutdated) = (nil, false)
        try receive(reply)
      } else if descriptors[0].revents != 0 {
        deadline = .now + endpoint.timeout * 2  // A part of a large reply has arrived.
      } else if !isReady, !isOutdated {
        throw .unreachable("the server takes longer than \(endpoint.timeout) to reply")
      }
      if ContinuousClock.now >= nextCheck { try check() }
    }

    private func readingConnection() throws(RedisError.Reason) -> RedisConnection {
      if let reading { return reading }
      let connection = try RedisConnection(to: endpoint)
      guard let number = try connection.reply(to: RedisCommand("CLIENT", "ID")).get().integer else {
        throw .unreachable("the reply to CLIENT ID isn't a number")
      }
      (reading, readingID) = (connection, "\(number)")
      nextCheck = .now + endpoint.timeout
      return connection
    }

    private func request(over connection: RedisConnection) throws(RedisError.Reason) {
      let limit = Int64((endpoint.timeout / .milliseconds(1)).rounded(.up))
      var command = RedisCommand("XREAD", "COUNT", "\(Self.batch)", "BLOCK", "\(limit)", "STREAMS")
      // The order of a dictionary doesn't change between these two loops.
      for key in streams.keys { command.append(key) }
      for stream in streams.values { command.append("\(stream.position)") }
      try connection.send(command)
      deadline = .now + endpoint.timeout * 2
      isOutdated = false
    }

    private func receive(_ reply: RedisReply) throws(RedisError.Reason) {
      if let refusal = reply.refusal {
        // One of the streams can't be read. If it isn't found, nobody can read.
        let before = streams.count
        try check()
        if streams.count == before { throw .refused(refusal) }
      }
      var batches: [(key: [UInt8], entries: [StreamEntry])] = []
      for index in 0..<reply.count {
        let (key, entries) = (reply[index]?[0]?.bytes ?? [], StreamEntry.entries(reply[index]?[1]))
        if let last = entries.last { streams[key]?.position = last.id }
        batches.append((key, entries))
      }
      // If there are many, the server can look for more while these are passed on; few are passed on sooner.
      let areMany = batches.count + (batches.first?.entries.count ?? 0) > Self.few
      if areMany, let reading { try request(over: reading) }
      for (key, entries) in batches { pass(entries, from: key) }
    }

    private func pass(_ entries: [StreamEntry], from key: [UInt8]) {
      guard var stream = streams[key], let last = entries.last?.id else { return }
      for index in stream.followers.indices {
        let (follower, position) = stream.followers[index]
        follower.send(entries.lazy.filter { $0.id > position }.map { .entry($0) })
        stream.followers[index].position = max(position, last)
      }
      streams[key] = stream
    }

    /// Looks for streams that can't be read any more, and for those that were deleted and began anew: their ids are
    /// smaller than those that `XREAD` waits for.
    private func check() throws(RedisError.Reason) {
      nextCheck = .now + endpoint.timeout
      let suspects = try suspiciousStreams()
      for (key, reply) in zip(suspects, try lastEntries(of: suspects)) {
        guard var stream = streams[key] else { continue }
        if let refusal = reply.refusal {
          for each in stream.followers { each.follower.end(.refused(refusal)) }
          streams[key] = nil
        } else if let last = StreamEntry.entries(reply).last, last.id.epoch < stream.position.epoch {
          for index in stream.followers.indices {
            stream.followers[index].follower.send([.entry(last)])
            stream.followers[index].position = last.id
          }
          stream.position = last.id
          streams[key] = stream
          isOutdated = deadline != nil
        }
      }
    }

    /// The streams whose last entries, which may be large, have to be read.
    ///
    /// The others exist or are yet to come, and their outlets' numbers haven't begun anew.
    private func suspiciousStreams() throws(RedisError.Reason) -> [[UInt8]] {
      let keys = Array(streams.keys)
      let commands = keys.flatMap { key in
        [RedisCommand("TYPE", of: key), RedisCommand("GET", of: key + Array(RedisCommand.counterSuffix.utf8))]
      }
      let replies = try askingConnection().replies(to: commands)
      return keys.enumerated().filter { index, key in
        let (type, counter) = (replies[2 * index].text, UInt64(replies[2 * index + 1].text) ?? 0)
        return !["stream", "none"].contains(type) || counter < streams[key]?.position.epoch ?? 0
      }.map(\.element)
    }
  }
#endif
