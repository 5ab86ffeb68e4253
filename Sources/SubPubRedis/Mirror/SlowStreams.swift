#if Redis
  /// The streams that may have an entry that takes longer on its way than a reply may.
  ///
  /// A mirror that asked for it again and again would never see what comes after. So after a reply that kept arriving
  /// for too long, the next entry of each stream is read by itself. If that takes too long, the mirror goes on at the
  /// newest one, as a new mirror does.
  struct SlowStreams {
    enum Step { case reads, probes, skips }

    private var steps: [[UInt8]: Step] = [:]

    /// Notes that a reply with entries of some of these streams kept arriving for too long.
    mutating func noteLoss(_ keys: [[UInt8]]) { for key in keys { steps[key] = .probes } }

    /// Notes that the next entry of a stream does so by itself.
    mutating func noteSlowEntry(of key: [UInt8]) { steps[key] = .skips }

    /// Returns what to do with the next entry of a stream, and forgets it.
    mutating func takeStep(for key: [UInt8]) -> Step { steps.removeValue(forKey: key) ?? .reads }
  }
#endif
