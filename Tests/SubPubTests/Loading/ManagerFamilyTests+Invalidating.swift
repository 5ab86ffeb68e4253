import SubPub
import SubPubTesting
import Testing

// Managers are invalidated and refreshed together.
extension ManagerFamilyTests {
  /// How often each manager was invalidated and refreshed.
  private func counts(_ managers: [Counting]) -> [[Int]] {
    managers.map { [$0.invalidations.withLock { $0 }, $0.refreshes.withLock { $0 }] }
  }

  @Test("the managers of some keys are invalidated, and those among them that are listened to are refreshed")
  func required_5_19_5_15_invalidate() {
    let (family, listener) = (makeFamily(lingering: .seconds(10)), Listener())
    let managers = (0..<4).map { family[$0] }
    for key in [1, 2] { managers[key].publisher.subscribe(listener, on: .immediate) }
    family.invalidate { $0 < 2 }
    #expect(counts(managers) == [[1, 0], [1, 1], [0, 0], [0, 0]])
    family.invalidate()
    #expect(counts(managers) == [[2, 0], [2, 2], [1, 1], [1, 0]])
    managers[1].publisher.unsubscribe(listener)
    family.invalidate { $0 < 2 }
    #expect(counts(managers) == [[3, 0], [3, 2], [1, 1], [1, 0]])
    // No manager is made for that.
    #expect(made.withLock { $0 } == [0, 1, 2, 3])
  }

  @Test("all are invalidated before one is refreshed, and a manager of two keys is refreshed once")
  func required_5_19_5_15_invalidatedFirst() {
    let (listener, order) = (Listener(), Locked<[String]>([]))
    final class Noting: Manager {
      let publisher = Publisher<Int>()
      let order: Locked<[String]>
      init(_ order: Locked<[String]>) { self.order = order }
      func invalidate() { order.withLock { $0.append("stale") } }
      func refreshIfNeeded() { order.withLock { $0.append("refreshed") } }
    }
    let shared = Noting(order)
    let family = ManagerFamily { (key: Int) in key < 2 ? shared : Noting(order) }
    let managers = (0..<3).map { family[$0] }
    for manager in managers[1...] { manager.publisher.subscribe(listener, on: .immediate) }
    family.invalidate()
    #expect(order.withLock { $0 } == ["stale", "stale", "refreshed", "refreshed"])
  }

  @Test("only managers that are listened to are refreshed, unless others are asked for; a directory doesn't listen")
  func required_5_19_refreshListenedTo() {
    let (family, listener, directory) = (makeFamily(lingering: .seconds(10)), Listener(), PublisherDirectory())
    let observer = Listener()
    directory.subscribeToAll(observer, on: .immediate)
    directory.register(family)
    let managers = (0..<4).map { family[$0] }
    for key in [1, 2] { managers[key].publisher.subscribe(listener, on: .immediate) }
    family.refreshAllIfNeeded()
    #expect(counts(managers).map(\.[1]) == [0, 1, 1, 0])
    family.refreshAllIfNeeded { $0 < 2 }
    #expect(counts(managers).map(\.[1]) == [0, 2, 1, 0])
    family.refreshAllIfNeeded(onlyListenedTo: false) { $0 < 2 }
    #expect(counts(managers).map(\.[1]) == [1, 3, 1, 0])
    directory.refreshAllIfNeeded()
    #expect(counts(managers).map(\.[1]) == [1, 4, 2, 0])
  }

  @Test("a listener that has died unnoticed doesn't have its manager refreshed")
  func required_5_19_2_05_refreshDead() {
    let family = makeFamily(lingering: .seconds(10))
    let manager = family[1]
    do {
      let listener = Listener()
      manager.publisher.subscribe(listener, on: .immediate)
      withExtendedLifetime(listener) {}
    }
    family.invalidate()
    #expect(counts([manager]) == [[1, 0]])
  }

  @Test("conditions are asked while no lock is held, so they may use the family")
  func required_5_19_1_04_conditions() {
    let family = makeFamily(lingering: .seconds(10))
    _ = family[1]
    let condition: @Sendable (Int) -> Bool = { key in
      OwnThread.runBlocking { _ = family[key + 1] }
      return family.existing(key) != nil
    }
    family.invalidate(where: condition)
    family.refreshAllIfNeeded(where: condition)
    #expect(family.keys.sorted() == [1, 2, 3])
  }

  @Test("a load that is started and not held needs a family that lingers; a loop keeps its manager itself")
  func required_5_19_5_09_prefetch() async throws {
    let (executor, source) = (ManualExecutor(), Source<Int>())
    let family: (Duration) -> ManagerFamily<Int, LoadingManager<Int>> = { [clock, deaths] lingering in
      ManagerFamily(lingering: lingering, clock: clock) { _ in
        let token = deaths.makeToken()
        return LoadingManager(on: executor) {
          defer { withExtendedLifetime(token) {} }
          return try await source.load()
        }
      }
    }
    let (forgetful, lingering) = (family(.zero), family(.seconds(10)))
    forgetful[1].refreshIfNeeded()
    executor.runAll()
    #expect((forgetful.keys, source.calls, deaths.count) == ([], 0, 1))
    lingering[1].refreshIfNeeded()
    let loop = Caller(on: executor) {
      for await state in lingering[1].publisher.states() where state.phase == .loaded { return state.value }
      return nil
    }
    executor.runAll()
    _ = lingering[2]
    try await passWhenAsleep(.seconds(10))
    try await deaths.wait(count: 2)
    #expect((lingering.keys, source.cancelled) == ([1], []))
    source.answer(0, .success(7))
    executor.runAll()
    #expect(loop.result == 7)
  }
}
