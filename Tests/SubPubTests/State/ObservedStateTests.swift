import Observation
import SubPub
import Testing

@MainActor
@Suite("An observed state follows its publisher on the main actor", .hangLimit)
struct ObservedStateTests {
  private let publisher = Publisher<Int>(label: "number")

  @Test("it shows the current state at once, and later ones as they are delivered")
  func follows() async {
    publisher.updateData(1)
    let observed = ObservedState(publisher)
    #expect(observed.state == .loaded(1))
    #expect(!observed.isLoading)
    publisher.startLoading()
    #expect(ObservedState(publisher).isLoading)
    await publisher.drain()
    #expect((observed.state, observed.isLoading, observed.value) == (.loading(previous: 1), true, 1))
    publisher.setError(Offline())
    await publisher.drain()
    #expect(observed.error is Offline)
    #expect((observed.isLoading, observed.value) == (false, 1))
    publisher.updateData(2)
    await publisher.drain()
    #expect(observed.state == .loaded(2))
    #expect(observed.error == nil)
  }

  @Test("only a change is reported: the first delivery is what is shown already")
  func changes() async {
    publisher.updateData(1)
    let observed = ObservedState(publisher)
    #expect(await !changes(of: { (observed.state, observed.value, observed.error) }, during: {}))
    #expect(await changes(of: { observed.state }, during: { publisher.updateData(2) }))
    #expect(await changes(of: { observed.value }, during: { publisher.updateData(3) }))
    #expect(await changes(of: { observed.error }, during: { publisher.setError(Offline()) }))
  }

  @Test("`isLoading` changes only when a load begins or ends")
  func isLoading() async {
    let observed = ObservedState(publisher)
    #expect(await !changes(of: { observed.isLoading }, during: { publisher.updateData(1) }))
    #expect(await changes(of: { observed.isLoading }, during: { publisher.startLoading() }))
    #expect(await !changes(of: { observed.isLoading }, during: { publisher.startLoading() }))
    #expect(await changes(of: { observed.isLoading }, during: { publisher.updateData(2) }))
  }

  @Test("while the main actor is busy, only the newest state stays, even if it was published during `init`")
  func newest() async {
    let observed = ObservedState(publisher)
    for number in 1...100 { publisher.updateData(number) }
    #expect(observed.state == .unknown)
    await publisher.drain()
    #expect(observed.state == .loaded(100))
    #expect(publisher.subscriptions.map(\.statistics.delivered) == [1])
  }

  @Test("it ends its subscription when it is released, and is released even while its publisher lives")
  func released() async {
    weak var probe: ObservedState<Int>?
    do {
      let observed = ObservedState(publisher)
      probe = observed
      await publisher.drain()
      #expect(publisher.subscriberCount == 1)
      withExtendedLifetime(observed) {}
    }
    #expect(probe == nil)
    #expect(publisher.subscriptions.isEmpty)
  }

  @Test("it may be released on any thread")
  func releasedElsewhere() async {
    await Task.detached { [publisher] in
      let observed = await ObservedState(publisher)
      withExtendedLifetime(observed) {}
    }.value
    publisher.updateData(1)
    await publisher.drain()
    #expect(publisher.subscriberCount == 0)
  }

  @Test("it keeps a derived publisher, which nobody else holds")
  func derived() async {
    let observed = ObservedState(publisher.map { "\($0)" })
    await withCheckedContinuation { changed in
      withObservationTracking {
        _ = observed.state
      } onChange: {
        changed.resume()
      }
      publisher.updateData(1)
    }
    #expect(observed.state == .loaded("1"))
  }

  /// Returns whether a property was reported as changed while `body` and everything that follows from it ran.
  private func changes<Property>(of property: () -> Property, during body: () -> Void) async -> Bool {
    let reported = Locked(false)
    withObservationTracking {
      _ = property()
    } onChange: {
      reported.withLock { $0 = true }
    }
    body()
    await publisher.drain()
    return reported.snapshot
  }

  private struct Offline: Error {}
}
