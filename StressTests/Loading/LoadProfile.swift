import SubPub
import SubPubTesting
import Support

/// A choice of operations on a manager: the fewer they are, the more can be checked.
enum LoadProfile: CaseIterable, Sendable {
  /// How the round ends.
  enum Ending { case answered, cancelled, loggedOut, released }

  case shared, waiters, restarting, freshness, storm, released, pages, pageStorm

  var mix: LoadMix {
    switch self {
    case .shared: [.refresh, .appear, .copies]
    case .waiters: [.refresh, .cancel]
    case .restarting: [.refresh, .restart, .appear]
    case .freshness: [.refresh, .appear, .invalidate, .set, .poll]
    case .storm:
      [.refresh, .restart, .appear, .cancel, .logout, .foreign, .copies, .invalidate, .abandon, .set, .poll]
    case .released: [.refresh, .appear, .cancel]
    case .pages: [.nextPage, .copies]
    case .pageStorm: [.refresh, .restart, .nextPage, .appear, .cancel, .logout, .foreign, .invalidate, .abandon, .poll]
    }
  }

  var ending: Ending {
    switch self {
    case .shared, .restarting, .freshness, .pages: .answered
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
        switch $1 {
        case .nextPage: return await $0.loadNextPage()
        case .poll: await $0.refresh(every: .milliseconds(1))
        default: return await $0.refresh(restarting: $1 == .restart)
        }
        return $0.publisher.state
      } command: {
        if case .invalidate = $1 { $0.invalidate() } else { $0.cancel() }
      }
    }
    let manager = LoadingManager<[LoadedItem]>(staleAfter: staleAfter, retry: retry) { try await endpoint.load(0) }
    let items: @Sendable ([LoadedItem]) -> [LoadedItem] = { $0 }
    return RecordedManager(manager, endpoint, self, attempts: attempts, on: context, items: items) {
      guard $1 == .poll else { return await $0.refresh(restarting: $1 == .restart) }
      await $0.refresh(every: .milliseconds(1))
      return $0.publisher.state
    } command: {
      switch $1 {
      case .invalidate: $0.invalidate()
      case .set(let item): $0.set([item])
      default: $0.cancel()
      }
    }
  }
}
