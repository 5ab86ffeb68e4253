#if Redis
  import SubPub

  /// The looks of one connection that the server hasn't answered, in rounds, and what the next round may ask for.
  ///
  /// The last entries of all outlets together may keep a slow link busy for longer than an outlet stays sure, and their
  /// replies hold up those to renewals of leases. So a round reads no more of them than arrive in a while; the others
  /// have their turns in the next rounds.
  struct OutletLooks<User> {
    struct Asked {
      let user: User
      let look: OutletLook
    }

    struct Answered {
      let user: User
      let look: OutletLook
      let replies: ArraySlice<RedisReply>
    }

    /// Looks that are taken at the same time.
    struct Round {
      fileprivate(set) var looks: ArraySlice<Asked>
      /// What asks the server.
      let bytes: [UInt8]
      /// How many bytes of last entries it reads.
      fileprivate let byteCount: Int
      /// The first user whose last entry had to wait for the next round; nil if none had to.
      fileprivate let leftOut: Int?
      /// When the first answer has arrived.
      fileprivate var firstAnswer: Moment?

      var isEmpty: Bool { looks.isEmpty }
    }

    /// With whose last entry the next round begins, and how many bytes of last entries it reads.
    struct Turn {
      fileprivate(set) var first = 0
      fileprivate(set) var mostBytes = 32 << 10
    }

    private var next = Turn()
    private var rounds: [Round] = []
    /// The replies to a look that hasn't got all of them.
    private var rest: ArraySlice<RedisReply> = []

    /// Reads so many bytes in the first round.
    init(reading bytes: Int? = nil) { if let bytes { next.mostBytes = bytes } }

    /// What the next round reads: hardly anything while the replies to another one keep arriving.
    var turn: Turn { rounds.first?.firstAnswer == nil ? next : Turn(first: next.first, mostBytes: 0) }

    /// Whether another round may begin: a long way to the server takes a few.
    var mayBegin: Bool { rounds.count < 3 }

    /// Asks users for their looks.
    static func round(
      of users: [User], _ turn: Turn, by look: (User, inout LookShare, inout [UInt8]) -> OutletLook?
    ) -> Round {
      var (looks, bytes, share): ([Asked], [UInt8], LookShare) = ([], [], LookShare(turn.mostBytes))
      var leftOut: Int?
      for place in users.indices {
        let index = (turn.first + place) % users.count
        if let look = look(users[index], &share, &bytes) { looks.append(Asked(user: users[index], look: look)) }
        if share.isSpent, leftOut == nil { leftOut = index }
      }
      return Round(looks: looks[...], bytes: bytes, byteCount: share.taken, leftOut: leftOut)
    }

    /// Notes that a round begins; returns how many replies it has.
    mutating func begin(_ round: Round) -> Int {
      if let user = round.leftOut { next.first = user }
      rounds.append(round)
      return round.looks.reduce(0) { $0 + $1.look.replyCount }
    }

    /// Takes the looks that these replies complete.
    mutating func take(_ replies: [RedisReply], at now: Moment) -> [Answered] {
      var answered: [Answered] = []
      answered.reserveCapacity(replies.count)
      var rest = rest.isEmpty ? replies[...] : rest + replies
      while let count = rounds.first?.looks.first?.look.replyCount, rest.count >= count {
        let (next, replies) = (rounds[0].looks.removeFirst(), rest.prefix(count))
        rest.removeFirst(count)
        answered.append(Answered(user: next.user, look: next.look, replies: replies))
        if rounds[0].firstAnswer == nil { rounds[0].firstAnswer = now }
        if rounds[0].isEmpty { end(rounds.removeFirst(), at: now) }
      }
      self.rest = rest.isEmpty ? [] : rest
      return answered
    }

    /// Lets the next round read less if the replies to this one kept the link busy, and more if it could have.
    private mutating func end(_ round: Round, at now: Moment) {
      guard let first = round.firstAnswer else { return }
      let time = first.duration(to: now)
      let limit: Duration = .milliseconds(250)
      if time > limit {
        // Not nothing, which could never grow again: the round may have read no entries at all.
        next.mostBytes = max(1 << 10, Int(Double(round.byteCount) * (limit / time)))
      } else if round.leftOut != nil, time < limit / 2 {
        next.mostBytes = min(next.mostBytes * 2, 1 << 20)
      }
    }
  }

  /// How much a round of looks may still read of last entries.
  struct LookShare {
    private var left: Int
    /// How much it has read.
    private(set) var taken = 0
    /// Whether an entry had to wait for the next round.
    private(set) var isSpent = false

    init(_ bytes: Int) { left = bytes }

    /// Returns whether an entry of this size may be read.
    ///
    /// The first one always may, so that each has its turn.
    mutating func take(_ byteCount: Int) -> Bool {
      isSpent = isSpent || taken > 0 && byteCount > left
      if isSpent { return false }
      (left, taken) = (left - byteCount, taken + byteCount)
      return true
    }
  }
#endif
