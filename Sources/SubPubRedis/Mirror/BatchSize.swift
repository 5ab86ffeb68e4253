#if Redis
  /// How many entries of a stream are asked for at a time.
  ///
  /// A server may cut off a client whose reply is too large (`client-output-buffer-limit`), and nothing says so. So a
  /// connection that is lost while a reply is awaited halves the number, unless the reply before had room for more
  /// entries, or the streams had none: then the next one wasn't large.
  struct BatchSize {
    private static let most = 512
    /// After how many replies that have no room for more the number doubles.
    private static let repliesUntilGrowth = 32

    private(set) var count = BatchSize.most
    private var fullReplies = 0
    /// Whether the last reply over this connection had room for more.
    private var hasRoom = false

    /// Notes that a connection was lost while a reply was awaited that may have been large.
    mutating func shrink() { (count, fullReplies, hasRoom) = (max(1, count / 2), 0, false) }

    /// Notes that a reply kept arriving for too long: a smaller one isn't waited for again and again.
    mutating func noteTooSlow() { (count, fullReplies, hasRoom) = (1, 0, false) }

    /// Notes that a connection was lost while entries were awaited.
    mutating func noteLostConnection() {
      if !hasRoom { shrink() }
      hasRoom = false
    }

    /// Notes whether there is nothing to be read yet.
    mutating func begin(withNothing hasRoom: Bool) { self.hasRoom = hasRoom }

    /// Notes a reply; a full one has as many entries as were asked for.
    mutating func noteReply(isFull: Bool) {
      hasRoom = !isFull
      fullReplies += isFull ? 1 : 0
      guard fullReplies >= Self.repliesUntilGrowth else { return }
      (count, fullReplies) = (min(Self.most, count * 2), 0)
    }
  }
#endif
