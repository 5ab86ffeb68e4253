#if Redis
  import SubPub

  /// What a mirror has shown, by the identifiers of the processes that publish, and whether an entry may follow it.
  ///
  /// An entry's id names the outlet that has written it, which may be a relay's. So only these identifiers tell whether
  /// a state that another server has, or another relay has written, is newer (8.01, 8.08).
  ///
  /// A stream is *behind* while it has shown nothing as new as what the mirror shows. Then entries of an unknown
  /// process are ambiguous: that process may have just begun, or they may be older than everything shown. If the stream
  /// stays behind for a while, they count as new. A relay, which says by itself only that it loads, or has failed,
  /// takes no data back.
  struct ShownPublications {
    /// What may be done with an entry.
    enum Verdict: Equatable {
      case shows
      /// To be shown with the data that the mirror has.
      case showsWithoutData
      /// To be shown later, if nothing newer comes.
      case waits
      case isOlder
    }

    /// How many processes that published before are remembered.
    private static let mostFormer = 16

    /// The newest publication of the process whose data was shown last; nil if no entry had an identifier.
    private(set) var newest: PublicationID?
    /// The publication of another process that was shown last, if that one has shown no data of its own yet.
    private(set) var unloaded: PublicationID?
    /// The newest publication of each process before.
    private var former: [PublicationID] = []
    /// When the data was new that was shown last, in milliseconds since 1970.
    private var since: Int64?
    /// Whether the stream is behind.
    private var isBehind = false
    /// The place before the first entry that waits, and how long there has been one.
    private var waiting: EntryID?
    private var patience = Patience()

    /// Whether it was shown, or is older than what was shown, and belongs to a process that published before.
    func isFormer(_ id: PublicationID) -> Bool { former.contains { $0.epoch == id.epoch && id.version <= $0.version } }

    /// Whether a newer one of its process was shown before another process went on.
    ///
    /// The newest one may come again, when that process takes the key over again.
    func isOvertaken(_ id: PublicationID) -> Bool { isFormer(id) && !former.contains(id) }

    /// Notes whether the stream is behind.
    mutating func note(isBehind: Bool) {
      (self.isBehind, waiting) = (isBehind, nil)
      patience.end()
    }

    /// Decides on the next entry of the stream, and notes whether that is behind.
    mutating func verdict(on entry: StreamEntry, at now: Moment) -> Verdict {
      guard let newest else { return .shows }
      guard let id = entry.publication else { return isBehind ? wait(with: entry, at: now) : .shows }
      if id.epoch == newest.epoch {
        if id.version < newest.version { return noteOlder() }
        note(isBehind: false)
        return inheritsOlderData(entry) ? .showsWithoutData : .shows
      }
      if let unloaded, id.epoch == unloaded.epoch, id.version < unloaded.version { return noteOlder() }
      guard isBehind else {
        if isOvertaken(id) { return noteOlder() }
        return carriesOlderData(entry) ? .showsWithoutData : .shows
      }
      if isFormer(id) { return .isOlder }
      return wait(with: entry, at: now)
    }

    private mutating func wait(with entry: StreamEntry, at now: Moment) -> Verdict {
      if waiting == nil, patience.isOver(at: now) { return verdictOnUnknown(entry) }
      waiting = waiting ?? entry.id.predecessor
      return .waits
    }

    /// Whether an entry of another process only carries along what the mirror has, or less: a process that has just
    /// begun knows nothing but what its outlet finds at the key, and a relay may be late.
    private func carriesOlderData(_ entry: StreamEntry) -> Bool {
      entry.isLoadingOrFailed && entry.value == nil && since != nil || inheritsOlderData(entry)
    }

    /// Whether an entry's data is what its outlet has found at the key, which may have lost the last entries, and isn't
    /// newer than what the mirror has.
    private func inheritsOlderData(_ entry: StreamEntry) -> Bool {
      guard entry.isLoadingOrFailed, entry.isInherited else { return false }
      guard entry.value != nil else { return true }
      guard let new = entry.since, let shown = since else { return false }
      return new <= shown
    }

    private mutating func noteOlder() -> Verdict {
      isBehind = true
      return .isOlder
    }

    private mutating func verdictOnUnknown(_ entry: StreamEntry) -> Verdict {
      if entry.isLoadingOrFailed, entry.value == nil || entry.isInherited { return .showsWithoutData }
      note(isBehind: false)
      return .shows
    }

    /// Returns what is to be done for the entries that wait: the stream is looked at later, or they are read again.
    mutating func request(at now: Moment) -> StreamRequest? {
      guard let place = waiting else { return nil }
      if !patience.isOver(at: now) { return patience.limit.map { .check(at: $0) } }
      waiting = nil
      return .entries(after: place)
    }

    /// Notes that an entry is shown, with its data or without it; returns how many publications of its process come
    /// between it and the one before.
    mutating func note(_ entry: StreamEntry, hasData: Bool = true) -> UInt64 {
      if hasData { since = entry.value == nil ? nil : entry.since }
      guard let id = entry.publication else { return 0 }
      if entry.isLoaded { unloaded = nil }
      guard let newest, newest.epoch != id.epoch else {
        defer { newest = id }
        return newest.map { id.version > $0.version ? id.version - $0.version - 1 : 0 } ?? 0
      }
      // What a relay says by itself is no publication of the process whose states it passes on.
      guard entry.isLoaded else {
        unloaded = id
        return 0
      }
      former.removeAll { $0.epoch == id.epoch || $0.epoch == newest.epoch }
      former = former.suffix(Self.mostFormer - 1) + [newest]
      self.newest = id
      return 0
    }
  }

  /// Searches the stream of another server backwards for the entry after which everything is new to a mirror.
  struct PlaceSearch {
    enum Place: Equatable {
      case after(EntryID)
      /// Nothing in the stream is known to be newer.
      case isBehind
    }

    private let shown: ShownPublications
    /// What was found; nil if there is more to look at.
    private(set) var place: Place?
    /// The oldest newer entry.
    private var oldestNewer: EntryID?
    /// The oldest entry.
    private var oldest: EntryID?

    init(_ shown: ShownPublications) { self.shown = shown }

    /// Where the next `XREVRANGE` begins.
    var next: String { oldest.map { "\($0.predecessor)" } ?? "+" }

    /// Looks at the next entries, the newest of them first.
    mutating func note(_ entries: [StreamEntry], isBeginning: Bool) {
      guard let newest = shown.newest else { return place = .isBehind }
      for entry in entries {
        oldest = entry.id
        guard let id = entry.publication else { continue }
        if id.epoch == newest.epoch {
          if id.version > newest.version {
            oldestNewer = entry.id
          } else {
            place = oldestNewer != nil || id.version == newest.version ? .after(entry.id) : .isBehind
            return
          }
        } else if let unloaded = shown.unloaded, id.epoch == unloaded.epoch, id.version <= unloaded.version {
          return place = id == unloaded ? .after(entry.id) : .isBehind
        } else if shown.isOvertaken(id) {
          return finish()
        }
      }
      if isBeginning { finish() }
    }

    /// Everything before is older.
    private mutating func finish() { place = oldestNewer.map { .after($0.predecessor) } ?? .isBehind }
  }
#endif
