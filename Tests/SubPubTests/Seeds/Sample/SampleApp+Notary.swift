import SubPub
import SubPubTesting

extension SampleApp {
  /// Is told every transition on the spot, and holds it against the table.
  final class Notary<Value: Sendable>: TypedSubscriber {
    /// How many a load makes before it gives up.
    private let attempts: ClosedRange<Int>
    private let endpoint: Endpoint
    private let clock: ManualClock
    private let items: @Sendable (Value) -> [Item]
    private let minutes: Locked<Minutes>

    init(
      _ legal: [Transition], attempts: ClosedRange<Int>, _ endpoint: Endpoint, _ clock: ManualClock,
      items: @escaping @Sendable (Value) -> [Item]
    ) {
      minutes = Locked(Minutes(legal: Set(legal)))
      self.attempts = attempts
      self.endpoint = endpoint
      self.clock = clock
      self.items = items
    }

    var views: [View] { minutes.withLock { $0.views } }
    var seen: [Transition: Int] { minutes.withLock { $0.seen } }
    var problems: [String] { minutes.withLock { $0.problems } }

    /// When something else was published than that version.
    func end(of version: UInt64) -> ManualClock.Instant? {
      minutes.withLock { minutes in
        minutes.times.indices.contains(Int(version) + 1) ? minutes.times[Int(version) + 1] : nil
      }
    }

    func receive(_ state: LoadState<Value>) {}

    func receive(_ publication: Publication<Value>) {
      let (view, now) = (View(publication, items), clock.now)
      let cause = Cause.current ?? cause(of: publication)
      let (calls, login) = (endpoint.calls, endpoint.login)
      endpoint.see(view.version)
      minutes.withLock { minutes in
        defer { minutes.append(view, at: now) }
        guard let last = minutes.views.last else { return }
        if view.version != last.version + 1 { minutes.problems.append("1.02: \(view) after \(last)") }
        if let old = view.items.first(where: { $0.login != login }) {
          minutes.problems.append("5.04: data of login \(old.login) in login \(login): \(view)")
        }
        if let cause,
          let problem = cause.problem(
            view, after: last, calls, attempts.lowerBound...attempts.upperBound + minutes.overtaken)
        {
          minutes.problems.append(problem)
        }
        minutes.move(to: view, cause, now)
      }
    }

    /// A load's own transitions are explained by how the endpoint's calls have ended.
    private func cause(of publication: Publication<Value>) -> Cause? {
      switch publication.state {
      case .loaded: .answer
      case .error(is Refusal, _): .refusal
      case .error(is LoadTimedOut, _): .timeout
      case .unknown, .loading, .error: nil
      }
    }

    /// What was loaded is fresh until its time is over.
    func isStale(at now: ManualClock.Instant) -> Bool {
      minutes.withLock { minutes in
        minutes.views.last.map { minutes.shape(of: $0, at: now) } == .stale
      }
    }
  }
}
