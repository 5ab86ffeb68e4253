import SubPub
import SubPubTesting

extension SampleApp.Stage where M == LoadingManager<[SampleApp.Item]> {
  /// What is loaded as a whole.
  static func whole(
    seed: UInt64, _ attempts: ClosedRange<Int>, _ retry: RetryPolicy, _ clock: ManualClock, _ executor: ManualExecutor
  ) -> Self {
    let endpoint = SampleApp.Endpoint(seed: seed, clock: clock, executor: executor)
    let items: @Sendable ([SampleApp.Item]) -> [SampleApp.Item] = { $0 }
    let manager = LoadingManager<[SampleApp.Item]>(
      label: "table", staleAfter: SampleApp.staleAfter, timeout: SampleApp.timeout, retry: retry, clock: clock,
      cache: nil, cacheFailed: { _ in }, executor: executor, load: { try await endpoint.rows() })
    let notary = SampleApp.Notary(SampleApp.Transition.legal, attempts: attempts, endpoint, clock, items: items)
    return Self(manager, endpoint, notary, executor, items: items) { await $0.refresh(restarting: $1 == .force) }
  }
}

extension SampleApp.Stage where M == PagedManager<SampleApp.Item, Int> {
  /// What is loaded page by page.
  static func pages(
    seed: UInt64, _ attempts: ClosedRange<Int>, _ retry: RetryPolicy, _ clock: ManualClock, _ executor: ManualExecutor
  ) -> Self {
    let endpoint = SampleApp.Endpoint(seed: seed, clock: clock, executor: executor)
    let items: @Sendable (Paged<SampleApp.Item, Int>) -> [SampleApp.Item] = { $0.elements }
    let manager = PagedManager<SampleApp.Item, Int>(
      label: "list", staleAfter: SampleApp.staleAfter, timeout: SampleApp.timeout, retry: retry, clock: clock,
      executor: executor, firstPage: 0
    ) { try await endpoint.page($0) }
    let notary = SampleApp.Notary(SampleApp.Transition.legalForPages, attempts: attempts, endpoint, clock, items: items)
    return Self(manager, endpoint, notary, executor, items: items) { manager, action in
      if action == .nextPage {
        await manager.loadNextPage()
      } else {
        await manager.refresh(restarting: action == .force)
      }
    }
  }
}
