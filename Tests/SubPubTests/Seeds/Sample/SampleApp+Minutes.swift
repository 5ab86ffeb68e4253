import SubPub
import SubPubTesting

extension SampleApp {
  /// What a notary has written down.
  struct Minutes {
    let legal: Set<Transition>
    private(set) var views: [View] = []
    /// When each of them came.
    private(set) var times: [ManualClock.Instant] = []
    var seen: [Transition: Int] = [:]
    var problems: [String] = []
    /// How many loads have ended without a result: each may have been about to call its loader, and does it late.
    private(set) var overtaken = 0
    /// When the data came that a ticket stands for.
    private var arrivals: [Int: ManualClock.Instant] = [:]

    init(legal: Set<Transition>) { self.legal = legal }

    mutating func append(_ view: View, at now: ManualClock.Instant) {
      views.append(view)
      times.append(now)
    }

    func shape(of view: View, at now: ManualClock.Instant) -> Shape {
      switch view.phase {
      case .unknown: .unknown
      case .loading: view.items.isEmpty ? .loading : .loadingWithPrevious
      case .error: view.items.isEmpty ? .error : .errorWithPrevious
      case .loaded:
        // A list is as old as its first page.
        view.items.first.flatMap { arrivals[$0.ticket] }.map { $0.duration(to: now) >= SampleApp.staleAfter } == true
          ? .stale : .fresh
      }
    }

    mutating func move(
      to view: View, _ cause: Cause?, _ now: ManualClock.Instant
    ) {
      if cause == .answer, let ticket = view.items.last?.ticket { arrivals[ticket] = now }
      let from = views.last.map { shape(of: $0, at: now) } ?? .unknown
      let to = shape(of: view, at: now)
      guard let cause else { return problems.append("nothing explains \(from) -> \(to): \(view)") }
      let transition = Transition(from: from, cause: cause, to: to)
      if !legal.contains(transition) { problems.append("not in the table: \(transition): \(view)") }
      seen[transition, default: 0] += 1
      if views.last?.phase == .loading, ![.answer, .refusal, .timeout].contains(cause) { overtaken += 1 }
    }
  }
}
