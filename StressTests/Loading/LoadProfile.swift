import SubPub
import SubPubTesting
import Support

/// A choice of operations on a manager: the fewer they are, the more can be checked.
enum LoadProfile: CaseIterable, Sendable {
  /// How the round ends.
  enum Ending { case answered, cancelled, loggedOut, released }

  case shared, waiters, restarting, storm, released, pages, pageStorm

  var mix: LoadMix {
    switch self {
    case .shared: [.refresh, .appear, .copies]
    case .waiters: [.refresh, .cancel]
    case .restarting: [.refresh, .restart, .appear]
    case .storm: [.refresh, .restart, .appear, .cancel, .logout, .foreign, .copies]
    case .released: [.refresh, .appear, .cancel]
    case .pages: [.nextPage, .copies]
    case .pageStorm: [.refresh, .restart, .nextPage, .appear, .cancel, .logout, .foreign]
    }
  }

  var ending: Ending {
    switch self {
    case .shared, .restarting, .pages: .answered
    case .waiters: .cancelled
    case .storm, .pageStorm: .loggedOut
    case .released: .released
    }
  }
}

extension LoadProfile {
  /// Makes a manager for this profile.
  func makeManager(_ round: Round, _ purpose: Int) -> any ManagerUnderTest {
    var random = round.random(purpose)
    let endpoint = FakeEndpoint(round.random(purpose + 1), hangs: ending != .answered)
    let attempts = 1 + random.draw(3)
    let retry = RetryPolicy(maxAttempts: attempts) { _, _ in .zero }
    let staleAfter: Duration? = random.draw(2) == 0 ? .zero : nil
    let context = random.pick([DeliveryContext.immediate, .background])
    if mix.contains(.nextPage) {
      let manager = PagedManager<LoadedItem, Int>(staleAfter: staleAfter, retry: retry, firstPage: 0) { page in
        (try await endpoint.load(page), page + 1 < FakeEndpoint.pages ? page + 1 : nil)
      }
      let items: @Sendable (Paged<LoadedItem, Int>) -> [LoadedItem] = { $0.elements }
      return RecordedManager(manager, endpoint, self, attempts: attempts, on: context, items: items) {
        if $1 == .nextPage { return await $0.loadNextPage() }
        return await $0.refresh(restarting: $1 == .restart)
      }
    }
    let manager = LoadingManager<[LoadedItem]>(staleAfter: staleAfter, retry: retry) { try await endpoint.load(0) }
    let items: @Sendable ([LoadedItem]) -> [LoadedItem] = { $0 }
    return RecordedManager(manager, endpoint, self, attempts: attempts, on: context, items: items) {
      await $0.refresh(restarting: $1 == .restart)
    }
  }
}
