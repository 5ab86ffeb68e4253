/// Requests.
extension LoadMachine {
  /// Joins the active load if it covers the request, and otherwise begins a load (5.03).
  ///
  /// Nobody joins a load that began before the data was invalidated (5.15), but the next page waits even for that one.
  mutating func ask(for request: LoadRequest, by caller: WaiterID?, _ present: Present) -> (Step, LoadAnswer) {
    if isOver || request.logouts ?? polls.logouts != polls.logouts { return (Step(), .nothing) }
    if let joined = join(request, by: caller) { return (Step(), joined) }
    return begin(request.kind ?? .whole, request, by: caller, present)
  }

  /// Does the same if the data is unknown or stale, or after an error; otherwise does nothing.
  ///
  /// After the failure of a page, and until the list is stale, loads that page again (5.14). `now` is the time on the
  /// manager's clock; nil if it isn't measured.
  mutating func askIfNeeded(accepting: AcceptedValue, now: Duration?, _ present: Present) -> (Step, LoadAnswer) {
    if isOver { return (Step(), .nothing) }
    let isStale = isStale(present, now)
    // One more page doesn't make a stale list fresh.
    let request = LoadRequest(kind: load?.kind == .page && isStale ? .whole : nil, accepts: accepting)
    if let joined = join(request, by: nil) { return (Step(), joined) }
    guard isLoadNeeded(present, now) else { return (Step(), .nothing) }
    return begin(failure?.kind == .page && !isStale ? .page : .whole, request, by: nil, present)
  }

  /// Does the same for a caller who wants a value that is younger than `maxAge`, or isn't stale.
  ///
  /// An error that is younger than `errorStaleAfter` is the answer, too (5.13).
  mutating func askForValue(
    maxAge: Duration?, accepting: AcceptedValue, now: Duration?, by caller: WaiterID, _ present: Present
  ) -> (Step, ValueAnswer) {
    if present.state.value != nil, isFresh(present, maxAge: maxAge, now) { return (Step(), .fresh) }
    if present.state.phase == .error, load == nil, let failure, isRecent(failure, now) { return (Step(), .failed) }
    let (step, answer) = ask(for: LoadRequest(kind: .whole, accepts: accepting), by: caller, present)
    return (step, .load(answer))
  }

  /// Whether a request could join the active load, or has to wait for it.
  func joins(_ request: LoadRequest) -> Bool {
    guard let load, request.joins else { return false }
    return isNext(request, load) || (load.covers(request.kind) && !isOutdated(load))
  }

  private func isNext(_ request: LoadRequest, _ load: ActiveLoad) -> Bool {
    request.kind == .page && load.kind == .whole && load.hasData
  }

  private mutating func join(_ request: LoadRequest, by caller: WaiterID?) -> LoadAnswer? {
    guard joins(request), let isNext = load.map({ isNext(request, $0) }) else { return nil }
    // In place, because a copy of the load would have all of its callers copied.
    load?.callers.add(caller, accepting: request.accepts)
    return isNext ? .next : .joined
  }

  /// Begins a load, which may take the place of an active one.
  ///
  /// In that case, it takes over the phase to return to, and the callers that don't wait.
  private mutating func begin(
    _ kind: LoadKind, _ request: LoadRequest, by caller: WaiterID?, _ present: Present
  ) -> (Step, LoadAnswer) {
    var step = Step()
    let data = present.state.value
    let shows = data == nil || !rules.isQuiet
    loadCount += 1
    // Without data, the first page is the next one.
    let kind = data == nil ? .whole : kind
    var new = ActiveLoad(id: RunID(number: loadCount), kind: kind, hasData: data != nil, seen: stack.changes)
    new.before = load?.before ?? (shows ? (present.state.withoutData, failure) : nil)
    if let old = load { new.callers = old.callers.withoutWaiters }
    new.callers.add(caller, accepting: request.accepts)
    endLoad(.cancelled, &step)
    if shows {
      failure = nil
      step.publisher.published = present.publication.next(.loading(previous: data))
    }
    load = new
    step.begun = (new.id, kind, readsCache: data == nil)
    return (step, .began)
  }
}

/// Freshness (5.06).
extension LoadMachine {
  func isStale(_ present: Present, _ now: Duration?) -> Bool {
    if present.validity.isInvalidated { return true }
    return age(since: present.freshSince, now).map { rules.isStale($0, since: present.freshSince) } ?? false
  }

  /// Returns whether there is data that is younger than `maxAge`, or, without a `maxAge`, isn't stale.
  ///
  /// Data of unknown age counts as older than any `maxAge`.
  func isFresh(_ present: Present, maxAge: Duration?, _ now: Duration?) -> Bool {
    guard let maxAge else { return !isStale(present, now) }
    guard !present.validity.isInvalidated, let age = age(since: present.freshSince, now) else { return false }
    return age < maxAge
  }

  /// Whether something has made data outdated since a load has begun.
  func isOutdated(_ load: ActiveLoad) -> Bool { load.seen.outdating != stack.changes.outdating }

  private func isLoadNeeded(_ present: Present, _ now: Duration?) -> Bool {
    // Its result is stale, or isn't even taken.
    if let load, isOutdated(load) { return true }
    return switch present.state.phase {
    // No load is active, so a `loading` was published by hand.
    case .unknown, .loading: true
    case .loaded: isStale(present, now)
    case .error: failure.map { !isRecent($0, now) } ?? true
    }
  }

  private func isRecent(_ failure: LoadFailure, _ now: Duration?) -> Bool {
    !failure.isOutdated && age(since: failure.time, now).map { $0 < rules.errorStaleAfter } ?? false
  }

  private func age(since time: Duration?, _ now: Duration?) -> Duration? {
    guard let time, let now else { return nil }
    // The clock may have been set back.
    return max(now - time, .zero)
  }
}
