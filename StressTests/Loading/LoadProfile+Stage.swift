import SubPub

extension LoadProfile {
  /// A manager to be treated so.
  func stage(_ round: Round, _ purpose: Int) -> any LoadStage {
    var random = round.random(purpose)
    let desk = Desk(round.random(purpose + 1), hangs: ending != .answered)
    let attempts = 1 + random.draw(3)
    let retry = RetryPolicy(maxAttempts: attempts) { _, _ in .zero }
    let staleAfter: Duration? = random.draw(2) == 0 ? .zero : nil
    let context = random.pick([DeliveryContext.immediate, .background])
    if mix.contains(.nextPage) {
      let manager = PagedManager<Ticket, Int>(staleAfter: staleAfter, retry: retry, firstPage: 0) { page in
        (try await desk.ask(for: page), page + 1 < Desk.pages ? page + 1 : nil)
      }
      let tickets: @Sendable (Paged<Ticket, Int>) -> [Ticket] = { $0.elements }
      return ManagedLoads(manager, desk, self, attempts: attempts, on: context, tickets: tickets) {
        if $1 == .nextPage { return await $0.loadNextPage() }
        return await $0.refresh(restarting: $1 == .force)
      }
    }
    let manager = LoadingManager<[Ticket]>(staleAfter: staleAfter, retry: retry) { try await desk.ask(for: 0) }
    let tickets: @Sendable ([Ticket]) -> [Ticket] = { $0 }
    return ManagedLoads(manager, desk, self, attempts: attempts, on: context, tickets: tickets) {
      await $0.refresh(restarting: $1 == .force)
    }
  }
}
