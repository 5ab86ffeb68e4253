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
  /// `XREAD` waits until one of the streams has a new entry. The wait is ended when a stream is added.
  final class StreamReaderLoop {
    /// How many entries are passed on before more are asked for.
    private static let few = 16

    private let endpoint: RedisEndpoint
    private let pipe: WakePipe
    private let batch: BatchSize
    private let contact: LastContact
    private var streams: [[UInt8]: FollowedStream] = [:]
    private var paced = PacedStreams()
    private var connections: ReaderConnections
    /// The wait for the reply to `XREAD`; nil if there is no `XREAD`.
    private var wait: Wait?
    private var nextCheck = ContinuousClock.now
    /// The server's time when it was asked last, in milliseconds; 0 if the user may not ask for it.
    private var serverTime: UInt64 = 0
    /// Whether followers may have ended since they were removed last.
    private var hasEnded = false

    private struct Wait {
      /// How many entries of a stream were asked for.
      let count: Int
      /// When the reply has to be there.
      let deadline: ContinuousClock.Instant
      /// When to end the wait, and how long to pause before the next attempt if the server isn't waiting yet; nil unless
      /// `XREAD` waits for less than it should.
      var end: (next: ContinuousClock.Instant, pause: Duration)?
    }

    init(_ endpoint: RedisEndpoint, _ pipe: WakePipe, _ batch: BatchSize, _ contact: LastContact) {
      (self.endpoint, self.pipe, self.batch, self.contact) = (endpoint, pipe, batch, contact)
      connections = ReaderConnections(to: endpoint, contact)
    }

    /// Whether nobody follows a stream.
    var isIdle: Bool {
      removeEnded()
      return streams.isEmpty && paced.isEmpty
    }

    /// Adds followers, and waits until something happens.
    func run(adding added: [(StreamFollower, after: EntryID?)]) {
      do {
        try add(added.filter { !$0.0.hasEnded })
        if !isIdle { try read() }
      } catch {
        if wait != nil { batch.shrink() }
        for (follower, _) in added { follower.end(error) }
        for stream in streams.values { for each in stream.followers { each.follower.end(error) } }
        for follower in paced.followers { follower.end(error) }
        (streams, paced) = ([:], PacedStreams())
        (connections, wait) = (ReaderConnections(to: endpoint, contact), nil)
      }
    }

    private func removeEnded() {
      guard hasEnded else { return }
      hasEnded = false
      paced.removeEnded()
      for key in streams.keys where !(streams[key]?.removeEnded() ?? false) { streams[key] = nil }
    }
  }

  /// Adding.
  extension StreamReaderLoop {
    /// Asks for the last entries of the streams of new followers, so that these are current at once.
    private func add(_ added: [(StreamFollower, after: EntryID?)]) throws(RedisError.Reason) {
      if added.isEmpty { return }
      let replies = try lastEntries(of: added.map(\.0.key))
      for ((follower, shown), reply) in zip(added, replies) {
        if let refusal = reply.refusal {
          follower.end(.refused(refusal))
          continue
        }
        let position = begin(follower, shown, StreamEntry.entries(reply).last)
        if let pacing = follower.pacing {
          paced.add(follower, pacing, after: position)
        } else if streams[follower.key, default: FollowedStream()].add(follower, after: position) {
          endWait()
        }
      }
    }

    /// Tells a follower where the stream stands, and returns the position after which it goes on.
    private func begin(_ follower: StreamFollower, _ shown: EntryID?, _ last: StreamEntry?) -> EntryID {
      guard let shown else {
        follower.send([last.map { .entry($0) } ?? .empty])
        return last?.id ?? .zero
      }
      if let last, last.id > shown { return shown }
      // The server may have come back with older data, which isn't shown (8.08). Whatever is written after it is new.
      follower.send([.unchanged])
      return serverTime < shown.epoch ? last?.id ?? .zero : shown
    }

    /// Reads the last entries of streams, not too many at a time.
    ///
    /// The first ones are read over the connection that `XREAD` goes over later. If the server is started again, that
    /// connection is lost, so entries never arrive over it that are older than those found here.
    private func lastEntries(of keys: [[UInt8]]) throws(RedisError.Reason) -> [RedisReply] {
      var replies: [RedisReply] = []
      let count = batch.count
      for first in stride(from: 0, to: keys.count, by: count) {
        let part = keys[first..<min(first + count, keys.count)]
        let commands = [RedisCommand("TIME")] + part.map { RedisCommand.lastEntry(of: $0) }
        let connection = wait == nil ? try reading() : nil
        do {
          let found = if let connection { try connection.replies(to: commands) } else { try connections.ask(commands) }
          serverTime = found[0].milliseconds ?? 0
          replies += found.dropFirst()
        } catch {
          if part.count > 1 { batch.shrink() }
          throw error
        }
      }
      return replies
    }

    private func reading() throws(RedisError.Reason) -> RedisConnection {
      if connections.reading == nil { nextCheck = .now + endpoint.replyTimeout }
      return try connections.connectedReading()
    }
  }

  /// Reading.
  extension StreamReaderLoop {
    /// Waits until there are entries, or somebody has woken the thread, or it is time for something else.
    private func read() throws(RedisError.Reason) {
      if wait == nil, !streams.isEmpty { try request() }
      let connection = try reading()
      try endWaitIfDue()
      var descriptors = [
        pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: pipe.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      let next = [wait?.deadline, wait?.end?.next, nextCheck, paced.next].lazy.compactMap { $0 }.min() ?? nextCheck
      _ = RedisConnection.wait(for: &descriptors, upTo: ContinuousClock.now.duration(to: next))
      if descriptors[1].revents != 0 {
        pipe.clear()
        hasEnded = true
      }
      if let reply = try connection.replyIfPresent() {
        try receive(reply)
      } else if let wait, .now >= wait.deadline {
        throw .unreachable("the server takes longer than \(endpoint.replyTimeout) to reply")
      }
      if .now >= nextCheck { try check() }
      try readPaced()
    }

    /// Reads the newest entries for those followers that want to know them now.
    private func readPaced() throws(RedisError.Reason) {
      let now = ContinuousClock.now
      let keys = paced.dueKeys(at: now)
      if keys.isEmpty { return }
      for (key, reply) in zip(keys, try lastEntries(of: keys)) {
        if let refusal = reply.refusal {
          for follower in paced.followers where follower.key == key { follower.end(.refused(refusal)) }
          hasEnded = true
        } else {
          paced.pass(StreamEntry.entries(reply).last, of: key, at: now)
        }
      }
    }

    private func request() throws(RedisError.Reason) {
      let connection = try reading()
      try connections.prepareToRead()
      let limit = Int64((endpoint.replyTimeout / .milliseconds(1)).rounded(.up))
      let count = batch.count
      var command = RedisCommand("XREAD", "COUNT", "\(count)", "BLOCK", "\(limit)", "STREAMS")
      // The order of a dictionary doesn't change between these two loops.
      for key in streams.keys { command.append(key) }
      for index in streams.values.indices { command.append("\(streams.values[index].request())") }
      try connection.send(command)
      wait = Wait(count: count, deadline: .now + endpoint.replyTimeout * 2)
    }

    /// Lets the wait for entries end soon, because it isn't for all that are needed.
    private func endWait() { if wait?.end == nil { wait?.end = (.now, .milliseconds(1)) } }

    private func endWaitIfDue() throws(RedisError.Reason) {
      guard let end = wait?.end, .now >= end.next else { return }
      if try connections.unblock() {
        wait?.end = nil
      } else {
        // The server hasn't seen `XREAD` yet, or the reply is on its way.
        wait?.end = (.now + end.pause, min(end.pause * 2, .milliseconds(256)))
      }
    }

    private func receive(_ reply: RedisReply) throws(RedisError.Reason) {
      let count = wait?.count ?? 0
      wait = nil
      if let refusal = reply.refusal {
        // The server has become a replica. It still lets the streams be read, but not over this connection.
        if refusal.hasPrefix("UNBLOCKED ") { return connections.dropReading() }
        // One of the streams can't be read. If it isn't found, nobody can read.
        let before = streams.count
        try check()
        if streams.count == before { throw .refused(refusal) }
      }
      var (batches, first, isFull): ([(StreamFollower, ArraySlice<StreamEntry>)], Int, Bool) = ([], 0, false)
      for index in 0..<reply.count {
        let (key, entries) = (reply[index]?[0]?.bytes ?? [], StreamEntry.entries(reply[index]?[1]))
        if index == 0 { first = entries.count }
        if entries.count >= count { isFull = true }
        if let taken = streams[key]?.take(entries) { batches += taken }
      }
      if isFull { batch.noteFullReply() }
      // If there are many, the server can look for more while these are passed on; few are passed on sooner.
      if reply.count + first > Self.few { try request() }
      for (follower, entries) in batches { follower.send(entries.lazy.map { .entry($0) }) }
    }
  }

  /// Checks.
  extension StreamReaderLoop {
    /// Looks for streams that can't be read any more, and for those that were deleted and began anew: their ids are
    /// smaller than those that `XREAD` waits for.
    private func check() throws(RedisError.Reason) {
      nextCheck = .now + endpoint.replyTimeout
      let suspects = try suspiciousStreams()
      for (key, reply) in zip(suspects, try lastEntries(of: suspects)) {
        if let refusal = reply.refusal {
          for each in streams[key]?.followers ?? [] { each.follower.end(.refused(refusal)) }
          streams[key] = nil
        } else if let result = streams[key]?.compare(with: StreamEntry.entries(reply).last?.id) {
          if result.waits { nextCheck = min(nextCheck, .now + .milliseconds(500)) }
          if result.beginsAnew { endWait() }
        }
      }
    }

    /// The streams whose last entries, which may be large, have to be read.
    ///
    /// The others exist or are yet to come, and their outlets' numbers haven't begun anew. They can't if they are times in
    /// the past; then a stream with smaller ones is an older copy, which is never shown (8.08).
    private func suspiciousStreams() throws(RedisError.Reason) -> [[UInt8]] {
      let keys = Array(streams.keys)
      let commands = keys.flatMap { key in
        [RedisCommand("TYPE", of: key), RedisCommand("GET", of: key + Array(RedisCommand.counterSuffix.utf8))]
      }
      let replies = try connections.ask(commands + [RedisCommand("TIME")])
      serverTime = replies[commands.count].milliseconds ?? 0
      return keys.enumerated().filter { index, key in
        let (type, counter) = (replies[2 * index].text, replies[2 * index + 1].outletNumber ?? 0)
        let epoch = streams[key]?.epoch ?? 0
        if ["stream", "none"].contains(type), counter >= epoch || serverTime >= epoch {
          streams[key]?.noteCurrent()
          return false
        }
        return true
      }.map(\.element)
    }
  }
#endif
