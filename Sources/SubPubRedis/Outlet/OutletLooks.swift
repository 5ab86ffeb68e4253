#if Redis
  /// The looks of one connection that the server hasn't answered, in the order of the questions.
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

    private var asked: ArraySlice<Asked> = []
    /// The replies to a look that hasn't got all of them.
    private var rest: ArraySlice<RedisReply> = []

    var isEmpty: Bool { asked.isEmpty }

    /// Asks users for their looks; returns those that there are, and what asks the server.
    static func looks(
      of users: [User], by look: (User, inout [UInt8]) -> OutletLook?
    ) -> (looks: [Asked], bytes: [UInt8]) {
      var (looks, bytes): ([Asked], [UInt8]) = ([], [])
      for user in users {
        if let look = look(user, &bytes) { looks.append(Asked(user: user, look: look)) }
      }
      return (looks, bytes)
    }

    /// Notes that these looks are taken; returns how many replies they have.
    mutating func begin(_ looks: [Asked]) -> Int {
      asked += looks
      return looks.reduce(0) { $0 + $1.look.replyCount }
    }

    /// Takes the looks that these replies complete.
    mutating func take(_ replies: [RedisReply]) -> [Answered] {
      var answered: [Answered] = []
      answered.reserveCapacity(replies.count)
      var rest = rest.isEmpty ? replies[...] : rest + replies
      while let count = asked.first?.look.replyCount, rest.count >= count {
        let (next, replies) = (asked.removeFirst(), rest.prefix(count))
        rest.removeFirst(count)
        answered.append(Answered(user: next.user, look: next.look, replies: replies))
      }
      // A slice keeps what it has no more.
      if asked.isEmpty { asked = [] }
      self.rest = rest.isEmpty ? [] : rest
      return answered
    }
  }
#endif
