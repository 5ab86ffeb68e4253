#if Redis
  /// What an outlet has written, or a mirror has read, so far.
  public struct RedisStatistics: Hashable, Sendable {
    /// Entries that the server has confirmed to an outlet, or that a mirror has published.
    public var entries = 0
    /// States that an outlet has dropped before they were written, or that a mirror couldn't read, because the stream
    /// didn't hold them any more.
    ///
    /// A mirror counts the versions that are missing between two entries of one run of an outlet, whether the stream,
    /// the mirror's pace, or the outlet has left them out. It doesn't count what is missing between entries of
    /// different runs: the numbers in them don't tell which states were ever written, and which were published while no
    /// outlet ran.
    public var skipped = 0
    /// Entries that a mirror couldn't decode, or that an outlet wrote as an error because it couldn't encode the state.
    public var undecodable = 0
    /// How often a lost connection was replaced.
    public var reconnects = 0
    /// The last of these entries, `<epoch>-<version>`: the number of the outlet and the version in its process.
    ///
    /// A later outlet of the key has a greater number: the server's time in milliseconds when it started.
    public var lastEntry: String?

    /// Creates statistics without counts.
    public init() {}
  }
#endif
