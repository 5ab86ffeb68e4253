import Dispatch
import Observation
import SubPub
import Testing

extension ClientTests {
  @Suite("Publishers that are derived from others, or can't publish")
  struct DerivingTests {
    @Test("a read-only publisher has all that reads")
    func reading() async throws {
      let publisher = Publisher<Int>(label: "source", staleAfter: .seconds(60))
      let readOnly: ReadOnlyPublisher<Int> = publisher.readOnly
      publishThree(publisher)
      publisher.updateData(2)
      #expect(readOnly.id == publisher.id)
      #expect(readOnly.label == "source")
      #expect(readOnly.state == .loaded(2))
      #expect(readOnly.current.version == 4)
      #expect(readOnly.staleAfter == .seconds(60))
      #expect(!readOnly.isStale)
      #expect(readOnly.age(of: readOnly.current) ?? .seconds(60) < .seconds(60))
      #expect(readOnly.subscriberCount == 0)
      #expect(readOnly.subscriptions == [])
      #expect(readOnly.description == "ReadOnlyPublisher<Int>(source 4: loaded(2))")
      #expect(try await readOnly.value() == 2)
      await readOnly.drain()
      try await readOnly.drain(within: .seconds(10), clock: ContinuousClock())
      var states = readOnly.states(buffering: .latest).makeAsyncIterator()
      #expect(await states.next() == .loaded(2))
      var values = readOnly.values(buffering: .latest).makeAsyncIterator()
      #expect(await values.next() == 2)
      var publications = readOnly.publications(buffering: .latest).makeAsyncIterator()
      #expect(await publications.next()?.version == 4)
    }

    /// Any thread, through both protocols.
    nonisolated final class Meter: Subscriber, TypedSubscriber {
      let queue = DispatchQueue(label: "meter")
      let typed = Journal<UInt64>()
      let typeless = Journal<UInt64>()

      func receive(_ publication: any AnyPublication) { typeless.add(publication.version) }
      func receive(_ publication: Publication<Int>) {
        Here.assertQueue(queue)
        typed.add(publication.version)
      }
    }

    @MainActor final class Panel: MainActorSubscriber, MainActorTypedSubscriber {
      private(set) var (typed, typeless, handled, observed): ([UInt64], [UInt64], [Int?], [UInt64]) = ([], [], [], [])

      func receive(_ publication: any AnyPublication) {
        Here.assertMainActor()
        typeless.append(publication.version)
      }

      func receive(_ publication: Publication<Int>) {
        Here.assertMainActor()
        typed.append(publication.version)
      }

      func handle(_ state: LoadState<Int>) {
        Here.assertMainActor()
        handled.append(state.value)
      }

      func observe(_ publication: Publication<Int>) {
        Here.assertMainActor()
        observed.append(publication.version)
      }
    }

    @Test("a read-only publisher has every way to subscribe")
    @MainActor func subscribing() async {
      let publisher = Publisher<Int>()
      let readOnly = publisher.map { $0 }
      let (meter, panel, tally) = (Meter(), Panel(), Tally())
      let (handled, observed) = (Journal<LoadState<Int>>(), Journal<UInt64>())
      readOnly.subscribe(meter, on: .queue(meter.queue), buffering: .unbounded, ifDuplicate: .ignore)
      readOnly.subscribe(meter as any Subscriber, on: .immediate)
      readOnly.subscribe(panel, buffering: .unbounded)
      readOnly.subscribe(panel as any MainActorSubscriber)
      readOnly.subscribe(panel) { panel, state in panel.handle(state) }
      readOnly.subscribe(meter, on: .queue(meter.queue)) { meter, state in
        Here.assertQueue(meter.queue)
        handled.add(state)
      }
      readOnly.subscribe(tally) { tally, state in tally.add(state) }
      let observations = [
        readOnly.observe { [weak panel] publication in panel?.observe(publication) },
        readOnly.observe(on: .queue(meter.queue)) { [queue = meter.queue] publication in
          Here.assertQueue(queue)
          observed.add(publication.version)
        },
      ]
      await readOnly.drain()
      publisher.updateData(1)
      publisher.updateData(2)
      await readOnly.drain()
      #expect(meter.typed.entries == [0, 1, 2])
      #expect(meter.typeless.entries == [0, 1, 2])
      #expect(panel.typed == [0, 1, 2])
      #expect(panel.typeless == [0, 1, 2])
      #expect(panel.handled == [nil, 1, 2])
      #expect(panel.observed == [0, 1, 2])
      #expect(handled.entries == [.unknown, .loaded(1), .loaded(2)])
      #expect(await tally.states == [.unknown, .loaded(1), .loaded(2)])
      #expect(observed.entries == [0, 1, 2])
      #expect(readOnly.unsubscribe(meter) == .quiescent)
      #expect(readOnly.subscriberCount == 6)
      withExtendedLifetime(observations) {}
    }

    @Test("a mapped publisher follows on the publishing thread, with or without duplicates, while somebody holds it")
    func mapping() {
      let publisher = Publisher<Int>(label: "numbers")
      let thread = Here.thread
      let texts = publisher.map(label: "texts") { number in
        #expect(Here.thread == thread)
        return "\(number)"
      }
      let parity = texts.map(label: "parity", removingDuplicates: true) { $0.count % 2 }
      let isLoud: ReadOnlyPublisher<Bool> = publisher.map(removingDuplicates: false) { $0 > 10 }
      let long = publisher.readOnly.map(removingDuplicates: true) { $0 > 10 }
      publisher.updateData(1)
      publisher.updateData(2)
      #expect(texts.state == .loaded("2"))
      #expect(texts.current.version == 2)
      #expect(texts.current.origin == .published)
      #expect(parity.current.version == 1)
      #expect(isLoud.current.version == 2)
      #expect(long.current.version == 1)
      publisher.setError(Failure.offline)
      #expect(texts.state == .error(Failure.offline, previous: "2"))

      do {
        let brief = publisher.map { $0 }
        #expect(publisher.subscriberCount == 4)
        #expect(brief.state == publisher.state)
      }
      #expect(publisher.subscriberCount == 3)
      withExtendedLifetime((parity, isLoud, long)) {}
    }

    @Test("a combined publisher is as far as its parts are")
    func combined() throws {
      let (names, ages) = (Publisher<String>(), Publisher<Int>())
      let people = combining(label: "people", names.readOnly, ages.readOnly, ages.map { $0 >= 18 })
      let one: ReadOnlyPublisher<String> = combining(names.readOnly)
      names.updateData("Ann")
      #expect(people.state.phase == .unknown)
      ages.updateData(17)
      let (name, age, isAdult) = try people.state.get()
      #expect(name == "Ann" && age == 17 && !isAdult)
      ages.startLoading()
      #expect(people.state.phase == .loading)
      #expect(people.state.value?.1 == 17)
      names.setError(Failure.denied)
      #expect(people.state.error as? Failure == .denied)
      #expect(one.state == .error(Failure.denied, previous: "Ann"))
    }

    @Test("an observed state tells Observation only what has changed")
    @MainActor func observed() async {
      let publisher = Publisher<Int>(label: "observed")
      let texts = publisher.map { "\($0)" }
      let (direct, derived) = (ObservedState(publisher), ObservedState(texts))
      #expect(direct.state == .unknown)
      let changes = Journal<String>()
      withObservationTracking {
        _ = direct.isLoading
      } onChange: {
        changes.add("isLoading")
      }
      withObservationTracking {
        _ = (direct.value, direct.error)
      } onChange: {
        changes.add("state")
      }
      publisher.updateData(1)
      await publisher.drain()
      #expect(changes.entries == ["state"])
      publisher.startLoading()
      await publisher.drain()
      #expect(changes.entries == ["state", "isLoading"])
      #expect(direct.isLoading)
      publisher.setError(Failure.offline)
      await publisher.drain()
      #expect(direct.value == 1)
      #expect(direct.error is Failure)
      await texts.drain()
      #expect(derived.value == "1")
      #expect(derived.error is Failure)
    }
  }
}
