#if Redis
  import SubPub

  /// One run of an outlet, as a value: takes what has happened, and decides what is to be done.
  ///
  /// It takes the key over or stands by, writes entries and counts the replies, finds out after each interruption what
  /// the server holds, and ends. It knows no task, lock, socket, or clock: ``OutletDriver`` carries out its actions,
  /// and so does a simulated world in the tests.
  struct OutletMachine {
    enum Phase: Equatable {
      /// There is no connection, and the next attempt waits for ``retry()``.
      case resting
      /// There is no connection yet.
      case connecting
      /// Waits for the reply of ``OutletScript/takeOver``.
      case takingOver
      /// Another outlet has the lease, and this one asks for it now and then.
      case standingBy(until: Moment)
      /// The outlet may have been superseded, or the one before may not know yet that it was. Until that time, nothing
      /// is written; whoever has the greater number restores it meanwhile.
      case doubting(until: Moment)
      /// Writes over a new connection what isn't confirmed.
      case catchingUp
      case writing
      /// Everything is written; waits for the reply of ``OutletScript/end``.
      case ending
      case over
    }

    /// What is to be done, in this order.
    enum Action {
      /// Get a connection to the server that has the key, a node of a cluster if one is given.
      case connect(RedisEndpoint?)
      /// Forget the connection, and the replies that are to come.
      case leave
      case send([UInt8], replies: Int)
      /// Begin to take states from the publisher: the outlet has the lease.
      case subscribe
      /// Let the writing task go on: ``mayTake`` is true, or the run is over.
      case proceed
      case tell(Event)
      /// Note the failure, and call ``retry()``: after a loss, at once, or else when the user's policy says so.
      case rest(RedisError.Reason, isLoss: Bool)
      /// The run is over.
      case end((any Error)?)
    }

    /// What an operator wants to know.
    enum Event: Equatable { case writes, standsBy, disconnected, superseded }

    struct Settings: Sendable {
      let key: String
      let endpoint: RedisEndpoint
      let maxLength: Int
      /// The key that numbers the outlets of the stream.
      let counterKey: String
      var leaseKey: String { key + ":lease" }
      /// What the commands begin with that add an entry to a stream that exists; `XADD` in a script has the rest.
      let adding: RedisCommand
      let limit: [String]
      /// What asks for the outlet's number, and what also asks for the last entry.
      let looks: (atNumber: [UInt8], atBoth: [UInt8])

      init(key: String, endpoint: RedisEndpoint, maxLength: Int) {
        (self.key, self.endpoint, self.maxLength) = (key, endpoint, maxLength)
        counterKey = key + RedisCommand.counterSuffix
        // The server removes blocks of about a hundred entries sooner than single ones.
        limit = ["MAXLEN", maxLength < 1_000 ? "=" : "~", "\(maxLength)"]
        adding = RedisCommand(["XADD", key, "NOMKSTREAM"] + limit)
        let look = RedisCommand("GET", counterKey).encoded
        looks = (look, look + RedisCommand.lastEntry(of: Array(key.utf8)).encoded)
      }

      /// How often an outlet that stands by asks at least.
      var checkInterval: Duration { OutletLook.interval(replyTimeout: endpoint.replyTimeout) }

      /// How long an outlet that may have been superseded waits for the other one.
      var doubtTime: Duration { max(OutletCertainty.takeOverDelay, endpoint.replyTimeout * 2) }
    }

    /// A question that the server hasn't answered; the replies come in the order of the questions.
    enum Question {
      case takeOver(sent: Moment)
      case settle(sent: Moment)
      case restore(EntryID, sent: Moment)
      case renew(sent: Moment)
      case entries(Int)
      case end
    }

    // What a look needs is side by side in memory.
    var phase = Phase.connecting
    /// The outlet's number, which is the first part of its entries' ids: a fencing token; nil until it has the key.
    var token: UInt64?
    /// The number of the connection; nil while there is none.
    var connection: Int?
    var questions: [Question] = []
    var certainty = OutletCertainty()
    /// What is known of the stream.
    var stream = KnownStream()
    var entries: OutletEntries
    let settings: Settings
    /// Nil if others don't wait for the end of this run.
    var lease: OutletLease?
    /// The last entry before this run's, for the encoder.
    var inherited: StreamEntry?
    var demand = Demand()
    var trouble = Trouble()
    var reconnects = 0
    var undecodable = 0
    private var actions: [Action] = []

    struct KnownStream {
      /// Whether the encoder knows the data that the key had.
      var isDataKnown = false
      /// How often the last entry, which was to be read for the encoder, was still arriving when it was late.
      var slowLasts = 0
      /// Whether that is to be read.
      var readsLast: Bool { !isDataKnown && slowLasts < 2 }
      /// The last id, as it was seen or written.
      var end: EntryID?
      /// The last confirmed entry, if it is missing, and the stream doesn't take it, and the stream's last one then.
      var unrestorable: (entry: EntryID, last: EntryID?)?
    }

    enum Wait { case connection, room }

    /// What the publisher has for the outlet, and what a cancelled run has to write.
    struct Demand {
      /// The version of the last state that was taken, and when, until it is an entry.
      var taken: (version: UInt64, since: Moment?)?
      /// Whether the publisher's initial state (version 0) was taken, which counts nowhere.
      var hasTakenInitial = false
      /// How many states were taken that need no entry.
      var needless = 0
      /// Up to which version the run writes after a cancel, and how many states that are.
      var rest: (version: UInt64, count: Int)?
      /// Whether nothing more is taken.
      var isAllTaken = false
      /// What the writing task waits for; nil if it doesn't wait.
      var wait: Wait?
      /// How many states the publisher has, and this run hasn't taken.
      var pending: @Sendable () -> Int = { 0 }
    }

    /// What has gone wrong lately.
    struct Trouble {
      /// How often in a row there was no connection that worked.
      var failures = 0
      /// Whether the next connection that is lost is replaced at once: true at first, and again after each that has
      /// worked.
      var mayHurry = true
      /// Since when the server has refused to write, on the user's clock.
      var refusing: Duration?
      /// Whether the server has refused the last write.
      var wasRefused = false
      /// The entry over this connection that was refused because the stream remembers a greater id.
      var tooSmall: EntryID?
      /// Whether a connection was lost, and not replaced yet.
      var hasLostConnection = false
      /// Whether a node of a cluster has sent the outlet to another one, which hasn't answered yet.
      var hasMoved = false
      /// Whether the outlet is at such a node.
      var isAway = false
      /// Whether the instrumentation was told of a connection, and not yet of its end.
      var isTold = false
      /// The comparisons with the server since something was confirmed last.
      var changes = 0
      /// Whether the entries that are under way were sent after nothing had been for a while: the server may have ended
      /// the connection before.
      var wasIdle = false
      /// The large entry with which connections have ended, and how many.
      var suspect: (id: EntryID, count: Int)?
    }

    init(_ settings: Settings, lease: OutletLease?) {
      (self.settings, self.lease) = (settings, lease)
      entries = OutletEntries(
        maxCount: OutletEntries.mostEntries(of: settings.maxLength),
        patience: min(settings.endpoint.replyTimeout / 4, lease.map { $0.time / 6 } ?? .seconds(1)))
    }

    mutating func act(_ action: Action) { actions.append(action) }

    var hasActions: Bool { !actions.isEmpty }

    /// Takes what is to be done.
    mutating func takeActions() -> [Action] {
      defer { actions = [] }
      return actions
    }
  }

  /// What others see.
  extension OutletMachine {
    var isOver: Bool { phase == .over }
    /// Whether the outlet has the key and a connection that works.
    var isWriting: Bool { phase == .writing || phase == .ending }
    /// Whether it has a connection, and waits for another outlet.
    var isWaiting: Bool {
      switch phase {
      case .standingBy, .doubting: true
      default: false
      }
    }
    /// Whether the writing task may take states: there is room, and a connection.
    var mayTake: Bool { phase == .writing && !entries.isFull && !isComparing }
    /// How many states were taken and aren't confirmed.
    var unconfirmedCount: Int { entries.count + (demand.taken?.since == nil ? 0 : 1) }
    /// When the first of them was taken.
    var unconfirmedSince: Moment? { entries.firstEntry?.taken ?? demand.taken?.since }
    /// How many of the states that were taken are confirmed, or needn't be written any more.
    var finishedCount: Int { entries.confirmedCount + entries.skippedCount + demand.needless }
    var statistics: RedisStatistics {
      var statistics = RedisStatistics()
      (statistics.entries, statistics.skipped) = (entries.confirmedCount, entries.skippedCount)
      (statistics.undecodable, statistics.reconnects) = (undecodable, reconnects)
      statistics.lastEntry = entries.lastConfirmed.map { "\($0.id)" }
      return statistics
    }
    /// Whether a cancelled run has taken everything that it has to write.
    var hasTakenAll: Bool {
      guard let rest = demand.rest, let taken = demand.taken else { return false }
      return taken.version >= rest.version
    }

    /// When something is to be done even if nothing happens; nil if nothing is.
    var nextTime: Moment? {
      switch phase {
      case .standingBy(let next): return isTakingOver ? nil : next
      case .doubting(let end) where !isComparing: return nextRenewal.map { min($0, end) } ?? end
      case .doubting, .catchingUp, .writing: return nextRenewal
      case .resting, .connecting, .takingOver, .ending, .over: return nil
      }
    }
  }
#endif
