#if Redis
  /// The two connections of a reader's thread.
  ///
  /// `XREAD` occupies one of them. The other one asks for the last entries of streams, and ends the wait.
  struct ReaderConnections {
    private let endpoint: RedisEndpoint
    private let contact: LastContact
    private(set) var reading: RedisConnection?
    private var asking: RedisConnection?
    /// The server's number of the reading connection; nil if it isn't known yet.
    private var readingID: String?

    init(to endpoint: RedisEndpoint, _ contact: LastContact) { (self.endpoint, self.contact) = (endpoint, contact) }

    mutating func connectedReading() throws(RedisError.Reason) -> RedisConnection {
      if let reading { return reading }
      let connection = try RedisConnection(to: endpoint, contact)
      reading = connection
      return connection
    }

    /// Makes sure that the wait can be ended: there is another connection, which the server has accepted.
    mutating func prepareToRead() throws(RedisError.Reason) {
      if readingID != nil { return }
      let number = try id(of: connectedReading())
      _ = try id(of: connectedAsking())
      readingID = "\(number)"
    }

    private func id(of connection: RedisConnection) throws(RedisError.Reason) -> Int64 {
      guard let number = try connection.reply(to: RedisCommand("CLIENT", "ID")).get().integer else {
        throw .unreachable("the reply to CLIENT ID isn't a number")
      }
      return number
    }

    /// Ends the wait of the reading connection; returns false if the server doesn't wait.
    mutating func unblock() throws(RedisError.Reason) -> Bool {
      try ask([RedisCommand("CLIENT", "UNBLOCK", readingID ?? "")])[0].get().integer == 1
    }

    /// Lets the next read have a new connection.
    mutating func dropReading() { (reading, readingID) = (nil, nil) }

    /// Asks over the other connection.
    ///
    /// The server may have closed it while it was idle. Then another one takes its place, and nobody notices.
    mutating func ask(_ commands: [RedisCommand]) throws(RedisError.Reason) -> [RedisReply] {
      if let asking {
        do { return try asking.replies(to: commands) } catch {
          guard asking.isClosed else { throw error }
          self.asking = nil
        }
      }
      return try connectedAsking().replies(to: commands)
    }

    private mutating func connectedAsking() throws(RedisError.Reason) -> RedisConnection {
      let connection = if let asking { asking } else { try RedisConnection(to: endpoint, contact) }
      asking = connection
      return connection
    }
  }
#endif
