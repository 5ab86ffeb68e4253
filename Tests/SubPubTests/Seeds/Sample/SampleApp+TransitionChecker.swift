import SubPub
import SubPubTesting

extension SampleApp {
  /// Checks each transition as soon as it is published.
  final class TransitionChecker<Value: Sendable>: TypedSubscriber {
    private struct State {
      var published: [(snapshot: Snapshot, time: ManualClock.Instant)] = []
      var counts: [Transition: Int] = [:]
      var problems: [String] = []
      /// How many loads have ended without a result; each may have been about to call its loader, and still calls it.
      var superseded = 0
      /// When the data of a request was published.
      var arrivals: [Int: ManualClock.Instant] = [:]
      /// The version at which the present data was invalidated, if it was.
      var invalidation: UInt64?

      func phase(of snapshot: Snapshot, at now: ManualClock.Instant) -> Phase {
        switch snapshot.phase {
        case .unknown: .unknown
        case .loading: snapshot.items.isEmpty ? .loading : .loadingWithPrevious
        case .error: snapshot.items.isEmpty ? .error : .errorWithPrevious
        case .loaded:
          // The first page decides.
          invalidation != nil
            || snapshot.items.first.flatMap { arrivals[$0.request] }.map {
              $0.duration(to: now) >= SampleApp.staleAfter
            }
              == true
            ? .stale : .fresh
        }
      }
    }

    private let legal: Set<Transition>
    /// How many requests a load makes before it fails.
    private let attempts: ClosedRange<Int>
    private let service: Service
    private let clock: ManualClock
    private let isQuiet: Bool
    private let items: @Sendable (Value) -> [Item]
    private let state = Locked(State())

    /// `written` is the time at which the cached value was written.
    init(
      _ legal: [Transition], attempts: ClosedRange<Int>, _ service: Service, _ clock: ManualClock,
      isQuiet: Bool, written: ManualClock.Instant, items: @escaping @Sendable (Value) -> [Item]
    ) {
      self.legal = Set(legal)
      self.isQuiet = isQuiet
      state.withLock { $0.arrivals[Item.cached.request] = written }
      self.attempts = attempts
      self.service = service
      self.clock = clock
      self.items = items
    }

    var published: [Snapshot] { state.withLock { $0.published.map(\.snapshot) } }
    var counts: [Transition: Int] { state.withLock { $0.counts } }
    var problems: [String] { state.withLock { $0.problems } }

    /// The data is stale from now on.
    func invalidate() { state.withLock { $0.invalidation = $0.published.last?.snapshot.version } }

    /// When the version after that one was published.
    func end(of version: UInt64) -> ManualClock.Instant? {
      state.withLock { $0.published.dropFirst(Int(version) + 1).first?.time }
    }

    func receive(_ publication: Publication<Value>) {
      let (snapshot, now) = (Snapshot(publication, items), clock.now)
      let trigger = Trigger.current ?? Self.trigger(of: publication)
      let (requests, login) = (service.requests, service.login)
      service.publisherReached(snapshot.version)
      state.withLock { state in
        defer { state.published.append((snapshot, now)) }
        guard let last = state.published.last?.snapshot else { return }
        if snapshot.version != last.version + 1 { state.problems.append("1.02: \(snapshot) after \(last)") }
        if let old = snapshot.items.first(where: { $0.login != login }) {
          state.problems.append("5.04: data of login \(old.login) in login \(login): \(snapshot)")
        }
        if let trigger {
          let attempts = attempts.lowerBound...attempts.upperBound + state.superseded
          state.problems += problems(trigger, snapshot, after: last, requests, attempts)
        }
        count(trigger, snapshot, after: last, now, &state)
      }
    }

    /// The trigger of a load's own transition: the value in the cache, or how its last request ended.
    private static func trigger(of publication: Publication<Value>) -> Trigger? {
      switch publication.state {
      case .loaded: publication.origin == .cached ? .cache : .answer
      case .loading: publication.origin == .cached ? .cache : nil
      case .error(is Refusal, _): .refusal
      case .error(is LoadTimedOut, _): .timeout
      case .unknown, .error: nil
      }
    }

    private func problems(
      _ trigger: Trigger, _ snapshot: Snapshot, after last: Snapshot, _ requests: [Service.Request],
      _ attempts: ClosedRange<Int>
    ) -> [String] {
      var problems: [String] = []
      switch trigger {
      case .answer:
        let number = snapshot.items.last?.request ?? -1
        if !requests.indices.contains(number) || requests[number].outcome != .answered {
          problems.append("5.04: no request returned \(snapshot)")
        } else if requests[number].version != last.version, !isQuiet || requests[number].version > last.version {
          // Another load made the request than the one whose `loading` this replaces.
          problems.append("5.04: \(snapshot) is late, after \(last)")
        }
      case .refusal, .timeout:
        // Several quiet loads may have begun at the same version.
        let count = isQuiet ? attempts.upperBound : requests.count { $0.version == last.version }
        if !attempts.contains(count) { problems.append("5.07: \(snapshot) after \(count) attempts of \(attempts)") }
        if snapshot.items != last.items { problems.append("5.01: \(snapshot) after \(last)") }
      case .cache:
        if snapshot.items != [.cached] { problems.append("5.11: the cache has never contained \(snapshot)") }
      case .appear, .refresh, .restart, .loadNextPage:
        if snapshot.items != last.items { problems.append("5.01: \(snapshot) after \(last)") }
      case .leave, .release, .logout: break
      }
      return problems
    }

    private func count(
      _ trigger: Trigger?, _ snapshot: Snapshot, after last: Snapshot, _ now: ManualClock.Instant, _ state: inout State
    ) {
      let from = state.phase(of: last, at: now)
      if trigger == .answer, let number = snapshot.items.last?.request {
        state.arrivals[number] = now
        // The load of one more page, or one that began before, doesn't make the data valid.
        let isWhole = snapshot.items.first?.request == number
        if isWhole, let old = state.invalidation, service.requests[number].version > old { state.invalidation = nil }
      } else if trigger == .cache, state.invalidation == last.version {
        // The load that had begun before goes on, although its request is made at the new version.
        state.invalidation = snapshot.version
      } else if snapshot.phase == .unknown {
        state.invalidation = nil
      }
      let to = state.phase(of: snapshot, at: now)
      guard let trigger else { return state.problems.append("no trigger for \(from) -> \(to): \(snapshot)") }
      let transition = Transition(from: from, trigger: trigger, to: to)
      if !legal.contains(transition) { state.problems.append("not in the table: \(transition): \(snapshot)") }
      state.counts[transition, default: 0] += 1
      if last.phase == .loading, ![.answer, .cache, .refusal, .timeout].contains(trigger) { state.superseded += 1 }
    }
  }
}
