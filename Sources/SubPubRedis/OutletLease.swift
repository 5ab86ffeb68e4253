#if Redis
  import Foundation
  import SubPub

  /// The lease of an outlet that others wait for, or that waits itself (8.09).
  struct OutletLease {
    /// How long the outlet may be silent before another one takes over.
    let time: Duration
    /// Tells this run from others.
    let holder = UUID().uuidString
    private var due = ContinuousClock.now
    /// When the lease of another outlet ends; if nobody has it before that, the server has lost it.
    fileprivate(set) var end: ContinuousClock.Instant?
    /// Whether the server has lost it, and `end` is when the other outlet has had time to take it again.
    fileprivate var isLost = false
    /// Whether this run has it, as far as is known.
    private var isHeld = false

    init(time: Duration) { self.time = time }

    /// Whether it has to be renewed.
    var isDue: Bool { .now >= due }

    /// How long the outlet may rest before it renews the lease, or looks whether another one has it.
    var rest: Duration {
      if isHeld { return max(.milliseconds(10), ContinuousClock.now.duration(to: due)) }
      return min(time / 4, end.map { max(.milliseconds(1), ContinuousClock.now.duration(to: $0)) } ?? time)
    }

    fileprivate var milliseconds: String { "\(Int64((time / .milliseconds(1)).rounded(.up)))" }

    fileprivate mutating func noteRenewal() { (due, end, isLost, isHeld) = (.now + time / 3, nil, false, true) }
    fileprivate mutating func noteLoss() { isHeld = false }
  }

  extension OutletConnection {
    /// Takes the lease if the outlet that had it last has ended; returns whether the holder has it now.
    ///
    /// It may have taken it before, over a connection that was lost before the reply had arrived. A lease that is gone
    /// before its time is lost, and the outlet that has it may be writing. That one takes it again when it renews it,
    /// so this one waits for as long as a lease lasts.
    func takeLease(_ lease: inout OutletLease) async throws(RedisError.Reason) -> Bool {
      let replies = try await channel.replies(to: [
        RedisCommand("GET", keys.lease), RedisCommand("PTTL", keys.lease), RedisCommand("GET", keys.counter),
      ])
      for reply in replies { _ = try reply.get() }
      if replies[0].text == lease.holder {
        lease.noteRenewal()
        return true
      }
      lease.noteLoss()
      let counter = replies[2]
      if !replies[0].isNil {
        let rest = replies[1].integer.flatMap { $0 >= 0 ? Duration.milliseconds($0) : nil } ?? lease.time
        (lease.end, lease.isLost) = (.now + min(rest, lease.time), false)
        return false
      }
      let hasBegun = !counter.isNil || lease.end != nil
      if hasBegun, !counter.text.hasSuffix(Self.ended) {
        // The end that is known may be that before the last renewal.
        if !lease.isLost, lease.end.map({ .now < $0 }) ?? true { (lease.end, lease.isLost) = (.now + lease.time, true) }
        if let end = lease.end, .now < end { return false }
      }
      return try await setLease(&lease)
    }

    /// Renews the lease; takes it again if the server has lost it.
    ///
    /// It may be another outlet's by now. Then this one learns from the number that it was superseded.
    func renewLease(_ lease: inout OutletLease) async throws(RedisError.Reason) {
      let command = RedisCommand("PEXPIRE", keys.lease, lease.milliseconds)
      if try await channel.reply(to: command).get().integer == 0 {
        _ = try await setLease(&lease)
      } else {
        lease.noteRenewal()
      }
    }

    /// Sets the lease if nobody has it.
    private func setLease(_ lease: inout OutletLease) async throws(RedisError.Reason) -> Bool {
      let replies = try await channel.replies(to: [
        RedisCommand("SET", keys.lease, lease.holder, "NX", "PX", lease.milliseconds), RedisCommand("GET", keys.lease),
      ])
      _ = try replies[0].get()
      let isTaken = try replies[1].get().text == lease.holder
      if isTaken { lease.noteRenewal() } else { lease.noteLoss() }
      return isTaken
    }
  }
#endif
