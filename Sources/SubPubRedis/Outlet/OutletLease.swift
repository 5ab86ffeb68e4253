#if Redis
  import Foundation
  import SubPub

  /// The lease of an outlet that others wait for, or that waits itself (8.09).
  struct OutletLease {
    /// How long the outlet may be silent before another one takes over.
    let time: Duration
    /// Tells this run from others.
    let holder: String
    /// When to renew it, or to try that again; nil before this run has had it, and while it waits.
    private(set) var due: Moment?
    /// When the lease of another outlet ends; nil if no other one is known.
    private var end: Moment?
    /// Whether the server has lost the other outlet's lease, and `end` is when that one has had time to take it again.
    private var isLost = false
    /// When the server last said who has it.
    private var known: Moment?

    init(time: Duration, holder: String = UUID().uuidString) { (self.time, self.holder) = (time, holder) }

    /// After what time it is renewed.
    var renewalTime: Duration { time / 3 }

    /// What the next attempt to take it is for: see ``OutletScript/takeOver``.
    ///
    /// A lease that is gone before its time is lost, and the outlet that has it may be writing. That one takes it again
    /// when it renews it, so this one waits for as long as a lease lasts.
    func attempt(at now: Moment) -> String {
      end == nil || known == nil ? "first" : hasEnded(at: now) ? "always" : "ended"
    }

    /// Whether the other outlet's time is over.
    ///
    /// What was said of it a while ago says nothing: the lease may have been renewed, and lost then.
    private func hasEnded(at now: Moment) -> Bool {
      guard let end, let known else { return false }
      return now >= end && now <= known + time / 2
    }

    /// When to try again to take it.
    func nextAttempt(after now: Moment, atLeastEvery interval: Duration) -> Moment {
      let next = now + min(time / 4, interval)
      return end.map { min(next, max($0, now + .milliseconds(1))) } ?? next
    }

    /// Notes that this run has it, since the command was sent that has taken or renewed it.
    mutating func noteRenewal(sentAt sent: Moment) { (due, end, isLost) = (sent + renewalTime, nil, false) }

    /// Notes that another outlet has it for so many milliseconds, or, with a negative number, that nobody has it.
    mutating func noteRefusal(rest: Int64, at now: Moment) {
      due = nil
      // Its time was over when this answer came, so it needn't have been lost.
      if rest < 0, hasEnded(at: now) { return }
      known = now
      if rest >= 0 {
        // The server drops what is less than a millisecond, of both times.
        (end, isLost) = (now + min(.milliseconds(rest), time) + .milliseconds(1), false)
      } else if !isLost {
        // The end that was known may be that before the last renewal.
        (end, isLost) = (now + time, true)
      }
    }

    /// Notes that it is another outlet's, and when to look again.
    mutating func noteLoss(at now: Moment) { due = now + renewalTime }
  }
#endif
