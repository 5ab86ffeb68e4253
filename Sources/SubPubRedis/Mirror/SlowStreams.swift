#if Redis
  /// The streams that may have an entry that takes longer on its way than a reply may.
  ///
  /// A mirror that asked for it again and again would never see what comes after. So after a reply that kept arriving
  /// for too long, the next entry of each stream is read by itself. If that takes too long, a mirror that needs it goes
  /// on at the newest one, as a new mirror does.
  struct SlowStreams {
    enum Step { case reads, probes, skips }

    private var probed: Set<[UInt8]> = []
    /// After which entries the next one takes too long; followers of one stream may be at different ones.
    private var slow: [[UInt8]: Set<EntryID>] = [:]

    /// Notes that a reply with entries of some of these streams kept arriving for too long.
    mutating func noteLoss(_ keys: [[UInt8]]) { probed.formUnion(keys) }

    /// Notes that the entry after this one does so by itself.
    mutating func noteSlowEntry(of key: [UInt8], after position: EntryID) { slow[key, default: []].insert(position) }

    /// Forgets a stream, because its entries have arrived, or nobody wants them.
    mutating func remove(_ key: [UInt8]) {
      if probed.isEmpty && slow.isEmpty { return }
      probed.remove(key)
      slow[key] = nil
    }

    /// What to do with the entry after this one.
    func step(for key: [UInt8], after position: EntryID) -> Step {
      if slow[key]?.contains(position) ?? false { return .skips }
      return probed.contains(key) ? .probes : .reads
    }
  }
#endif
