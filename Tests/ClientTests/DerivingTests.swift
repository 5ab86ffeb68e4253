import Dispatch
import SubPub
import Testing

extension ClientTests {
  @Suite("Publishers that are derived from others, or can't publish")
  struct DerivingTests {
    let publisher = Publisher<Int>(label: "source", staleAfter: .seconds(3_600))

    @Test("a read-only publisher has every member that only reads")
    func reading() async throws {
      let readOnly: ReadOnlyPublisher<Int> = publisher.readOnly
      publisher.updateData(2, age: .seconds(1))
      #expect((readOnly.id, readOnly.label) == (publisher.id, "source"))
      #expect((readOnly.state, readOnly.current.version) == (.loaded(2), 1))
      #expect((readOnly.staleAfter, readOnly.isStale) == (.seconds(3_600), false))
      #expect(readOnly.age(of: readOnly.current) ?? .zero >= .seconds(1))
      #expect((readOnly.subscriberCount, readOnly.subscriptions) == (0, []))
      #expect(readOnly.description == "ReadOnlyPublisher<Int>(source 1: loaded(2))")
      #expect(try await readOnly.value() == 2)
      await readOnly.drain()
      try await readOnly.drain(within: patience, clock: ContinuousClock())
      var states = readOnly.states(buffering: .latest).makeAsyncIterator()
      #expect(await states.next() == .loaded(2))
      var values = readOnly.values(buffering: .latest).makeAsyncIterator()
      #expect(await values.next() == 2)
      var publications = readOnly.publications(buffering: .latest).makeAsyncIterator()
      #expect(await publications.next()?.version == 1)
      #expect(!publications.isResumed)
      let derived = publisher.map { $0 }
      let both: [any StatePublisher] = [publisher, readOnly, derived]
      #expect(both.allSatisfy { !$0.isFinished })
      publisher.finish()
      #expect(both.allSatisfy { $0.isFinished })
    }

    @Test("a read-only publisher has every way to subscribe")
    @MainActor func subscribing() async {
      let readOnly = publisher.map { $0 }
      let (meter, panel) = (TypedSubscriberTests.TwoFaces(), TypedSubscriberTests.TwoFacedScreen())
      let (tally, handled) = (Tally(), Journal<LoadState<Int>>())
      readOnly.subscribe(meter, on: .queue(meter.queue), buffering: .unbounded, ifDuplicate: .ignore)
      readOnly.subscribe(meter as any Subscriber, on: .queue(meter.queue))
      readOnly.subscribe(panel, buffering: .unbounded)
      readOnly.subscribe(panel as any MainActorSubscriber)
      readOnly.subscribe(panel) { _, state in handled.add(state) }
      readOnly.subscribe(meter, on: .queue(meter.queue)) { _, state in handled.add(state) }
      readOnly.subscribe(tally) { tally, state in tally.add(state) }
      let observations = [
        readOnly.observe { [weak panel] publication in panel?.receive(publication) },
        readOnly.observe(on: .queue(meter.queue)) { [meter] publication in meter.receive(publication) },
      ]
      await readOnly.drain()
      let faces = ["typed 0", "type-less 0", "typed 0"]
      #expect((meter.faces.entries, panel.faces) == (faces, faces))
      #expect(handled.entries == [.unknown, .unknown])
      #expect(await tally.states == [.unknown])
      #expect(readOnly.unsubscribe(meter) == .quiescent)
      #expect(readOnly.subscriberCount == 6)
      withExtendedLifetime(observations) {}
    }

    @Test("a mapped publisher follows on the publishing thread, with or without duplicates")
    @MainActor func mapping() {
      let texts = publisher.map(label: "texts") { number in
        Here.assertMainActor()
        return "\(number)"
      }
      let lengths = texts.map(label: "lengths", removingDuplicates: true) { $0.count }
      let isLoud: ReadOnlyPublisher<Bool> = publisher.map(removingDuplicates: false) { $0 > 10 }
      publisher.updateData(1)
      publisher.updateData(2)
      #expect((texts.state, texts.current.version, texts.current.origin) == (.loaded("2"), 2, .published))
      #expect((lengths.current.version, isLoud.current.version) == (1, 2))
    }

    @Test("a combined publisher has data once all its parts have, and their errors")
    func combined() throws {
      let (names, ages) = (Publisher<String>(), Publisher<Int>())
      let people = combining(label: "people", names, ages.readOnly, ages.map { $0 >= 18 })
      names.updateData("Ann")
      #expect(people.state.phase == .unknown)
      ages.updateData(17)
      #expect(try people.state.get() == ("Ann", 17, false))
      names.setError(Failure.denied)
      #expect(people.state.error as? Failure == .denied)
      #expect(people.state.value?.1 == 17)
    }

    @Test("any number of publishers can be combined, and none")
    func combinedArray() {
      let sensors = [0, 1, 2].map { (number: Int) in Publisher(label: "sensor \(number)", initial: number) }
      let all = combining(label: "all", sensors)
      sensors[1].updateData(10)
      #expect(all.state == .loaded([0, 10, 2]))
      #expect(combining([Publisher<Int>]()).state == .loaded([]))
    }

    @Test(
      "a derived publisher may leave values out, decide about whole states, and follow the newest value's publisher")
    func otherForms() {
      let even = publisher.compactMap(label: "even") { $0 % 2 == 0 ? $0 : nil }
      let checked = publisher.mapState(label: "checked") { state -> LoadState<Int> in
        if case .loaded(let number) = state, number > 100 { throw Failure.denied }
        return state
      }
      let pages = [Publisher(initial: "first"), Publisher(initial: "second")]
      let page = publisher.switchingToLatest(label: "page") { pages[$0 % 2] }
      publisher.updateData(2)
      publisher.updateData(101)
      pages[1].updateData("mended")
      #expect(even.state == .loaded(2))
      #expect((checked.state.error as? Failure, checked.state.value) == (.denied, 2))
      #expect(page.state == .loaded("mended"))
    }

    /// A publisher that a type of the user's wraps.
    final class Thermometer: StatePublisher {
      private let publisher = Publisher<Double>(label: "thermometer")
      var _access: StateAccess<Double> { publisher._access }

      func measure(_ degrees: Double) { publisher.updateData(degrees) }
    }

    @Test("what wraps a publisher can be subscribed to, read, and derived from like one")
    func wrapped() async throws {
      func label(of publisher: some StatePublisher<Double>) -> String? { publisher.label }
      let (thermometer, log) = (Thermometer(), Journal<LoadState<Double>>())
      let listener = TypedSubscriberTests.TwoFaces()
      thermometer.subscribe(listener, on: .immediate) { _, state in log.add(state) }
      let both = combining(thermometer, thermometer.map { $0 > 0 })
      thermometer.measure(-1.5)
      #expect(log.entries == [.unknown, .loaded(-1.5)])
      #expect(try both.state.get() == (-1.5, false))
      #expect((label(of: thermometer), label(of: thermometer.readOnly)) == ("thermometer", "thermometer"))
      #expect(try await thermometer.value() == -1.5)
    }

    /// A type that doesn't keep its publisher, which therefore ends.
    final class Forgetful: StatePublisher {
      let _access: StateAccess<Int>
      init(_ publisher: Publisher<Int>) { _access = publisher._access }
    }

    @Test("whoever subscribes after a publisher's end is told nothing, and has no subscription")
    func forgetful() async throws {
      let forgetful = Forgetful(Publisher(initial: 4))
      let log = Journal<UInt64>()
      let observation = forgetful.observe(on: .immediate) { log.add($0.version) }
      #expect(!observation.isActive && log.entries.isEmpty && forgetful.subscriberCount == 0)
      try await forgetful.drain(within: patience)
    }

    @Test("an observed state shows what its publisher has published")
    @MainActor func observed() async {
      let (direct, derived) = (ObservedState(publisher), ObservedState(publisher.map { "\($0)" }))
      #expect(direct.state == .unknown)
      publisher.setState(.error(Failure.offline, previous: 2))
      await publisher.drain()
      #expect((direct.value, direct.isLoading) == (2, false))
      #expect(direct.error is Failure && derived.error is Failure)
    }
  }
}
