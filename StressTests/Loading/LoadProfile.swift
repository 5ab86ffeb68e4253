/// A choice of operations on a manager, and how the round ends: the fewer they are, the more can be checked.
struct LoadProfile: Sendable {
  enum Ending { case answered, cancelled, loggedOut, released }

  let mix: LoadMix
  let ending: Ending

  static let all: [LoadProfile] = [
    LoadProfile(mix: [.refresh, .appear, .copies], ending: .answered),
    LoadProfile(mix: [.refresh, .cancel], ending: .cancelled),
    LoadProfile(mix: [.refresh, .restart, .appear], ending: .answered),
    LoadProfile(mix: [.refresh, .appear, .invalidate, .set, .poll], ending: .answered),
    LoadProfile(mix: LoadMix(LoadOperation.allCases).subtracting([.nextPage]), ending: .loggedOut),
    LoadProfile(mix: [.refresh, .appear, .cancel], ending: .released),
    LoadProfile(mix: [.nextPage, .copies], ending: .answered),
    LoadProfile(mix: LoadMix(LoadOperation.allCases).subtracting([.copies, .set]), ending: .loggedOut),
  ]

  /// Makes a manager for this profile.
  func makeManager(_ round: Round, _ purpose: Int) -> any ManagerUnderTest {
    var random = round.random(purpose)
    let endpoint = FakeEndpoint(round.random(purpose + 1), hangs: ending != .answered)
    let attempts = 1 + random.draw(3)
    let retry = RetryPolicy(maxAttempts: attempts) { _, _ in .zero }
    let staleAfter: Duration? = random.draw(2) == 0 ? .zero : nil
    let context = random.pick([DeliveryContext.immediate, .background])
    guard mix.contains(.nextPage) else {
      let manager = LoadingManager<[LoadedItem]>(staleAfter: staleAfter, retry: retry) { try await endpoint.load(0) }
      return RecordedManager(manager, endpoint, self, attempts: attempts, on: context)
    }
    let manager = PagedManager<LoadedItem, Int>(staleAfter: staleAfter, retry: retry, firstPage: 0) { page in
      (try await endpoint.load(page), page + 1 < FakeEndpoint.pages ? page + 1 : nil)
    }
    return RecordedManager(manager, endpoint, self, attempts: attempts, on: context)
  }
}

/// A manager whose loader returns items.
protocol ItemManager: Manager {
  /// Waits for a load, or polls.
  func load(_ operation: LoadOperation) async -> LoadState<Value>
  func invalidate()
  func cancel()
  func set(_ item: LoadedItem)
  static func items(of value: Value) -> [LoadedItem]
}

extension LoadingManager: ItemManager where Value == [LoadedItem] {
  func load(_ operation: LoadOperation) async -> LoadState<[LoadedItem]> {
    guard operation == .poll else { return await refresh(restarting: operation == .restart) }
    await refresh(every: .milliseconds(1))
    return publisher.state
  }

  func set(_ item: LoadedItem) { set([item]) }
  static func items(of value: [LoadedItem]) -> [LoadedItem] { value }
}

extension PagedManager: ItemManager where Element == LoadedItem, Cursor == Int {
  func load(_ operation: LoadOperation) async -> LoadState<Paged<LoadedItem, Int>> {
    switch operation {
    case .nextPage: return await loadNextPage()
    case .poll: await refresh(every: .milliseconds(1))
    default: return await refresh(restarting: operation == .restart)
    }
    return publisher.state
  }

  /// No profile with pages sets a value.
  func set(_ item: LoadedItem) {}
  static func items(of value: Paged<LoadedItem, Int>) -> [LoadedItem] { value.elements }
}
