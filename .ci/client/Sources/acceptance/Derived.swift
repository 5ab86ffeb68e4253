import SubPub
import SubPubTesting

func readOnlyPublishers() async {
  let publisher = Publisher<Int>(label: "source", staleAfter: .seconds(60))
  let readOnly: ReadOnlyPublisher<Int> = publisher.readOnly
  publishThree(publisher)
  publisher.updateData(2)
  expectEqual(readOnly.id, publisher.id, "the same publisher")
  expectEqual(readOnly.label, "source", "its label")
  expectEqual(readOnly.state, .loaded(2), "its state")
  expectEqual(readOnly.current.version, 4, "its version")
  expectEqual(readOnly.staleAfter, .seconds(60), "its limit")
  expect(!readOnly.isStale, "fresh")
  expect(readOnly.age(of: readOnly.current) ?? .seconds(60) < .seconds(60), "its age")
  expectEqual(readOnly.subscriberCount, 0, "nobody has subscribed")
  expectEqual(readOnly.subscriptions, [], "no subscriptions")
  expectEqual(readOnly.description, "ReadOnlyPublisher<Int>(source 4: loaded(2))", "a description")
  do {
    expectEqual(try await readOnly.value(), 2, "a value")
    await readOnly.drain()
    try await readOnly.drain(within: .seconds(10), clock: ContinuousClock())
  } catch {
    fail("\(error)")
  }
  var states = readOnly.states(buffering: .latest).makeAsyncIterator()
  expectEqual(await states.next(), .loaded(2), "states")
  var values = readOnly.values(buffering: .latest).makeAsyncIterator()
  expectEqual(await values.next(), 2, "values")
  var publications = readOnly.publications(buffering: .latest).makeAsyncIterator()
  expectEqual(await publications.next()?.version, 4, "publications")
  passed("ReadOnlyPublisher")
}

/// Any thread, through both protocols.
private nonisolated final class Meter: Subscriber, TypedSubscriber {
  let typed = Journal<LoadState<Int>>()
  let typeless = Journal<UInt64>()

  func receive(_ publication: any AnyPublication) { typeless.add(publication.version) }
  func receive(_ publication: Publication<Int>) { typed.add(publication.state) }
}

@MainActor private final class Panel: MainActorSubscriber, MainActorTypedSubscriber {
  private(set) var (typed, typeless, handled, observed): ([UInt64], [UInt64], [UInt64], [UInt64]) = ([], [], [], [])

  func receive(_ publication: any AnyPublication) {
    Here.expectMainActor()
    typeless.append(publication.version)
  }

  func receive(_ publication: Publication<Int>) {
    Here.expectMainActor()
    typed.append(publication.version)
  }

  func handle(_ state: LoadState<Int>) {
    Here.expectMainActor()
    handled.append(UInt64(state.value ?? 0))
  }

  func observe(_ publication: Publication<Int>) {
    Here.expectMainActor()
    observed.append(publication.version)
  }
}

private actor Keeper {
  var states: [LoadState<Int>] = []

  func keep(_ state: LoadState<Int>) { states.append(state) }
}

@MainActor func readOnlySubscribing() async {
  let publisher = Publisher<Int>()
  let readOnly = publisher.map { $0 }
  let queue = Here.makeQueue("meter")
  let (meter, panel, keeper, observed) = (Meter(), Panel(), Keeper(), Journal<UInt64>())
  readOnly.subscribe(meter, on: .queue(queue), buffering: .unbounded, ifDuplicate: .ignore)
  readOnly.subscribe(meter as any Subscriber, on: .immediate)
  readOnly.subscribe(panel, buffering: .unbounded)
  readOnly.subscribe(panel as any MainActorSubscriber)
  readOnly.subscribe(panel) { panel, state in panel.handle(state) }
  let handled = Journal<LoadState<Int>>()
  readOnly.subscribe(meter, on: .queue(queue)) { _, state in
    Here.expectQueue("meter")
    handled.add(state)
  }
  readOnly.subscribe(keeper) { keeper, state in keeper.keep(state) }
  let observations = [
    readOnly.observe { [weak panel] publication in panel?.observe(publication) },
    readOnly.observe(on: .queue(queue)) { publication in
      Here.expectQueue("meter")
      observed.add(publication.version)
    },
  ]
  await readOnly.drain()
  publisher.updateData(1)
  publisher.updateData(2)
  await readOnly.drain()
  expectEqual(meter.typed.entries, [.unknown, .loaded(1), .loaded(2)], "typed")
  expectEqual(meter.typeless.entries, [0, 1, 2], "typeless")
  expectEqual(panel.typed, [0, 1, 2], "typed on the main actor")
  expectEqual(panel.typeless, [0, 1, 2], "typeless on the main actor")
  expectEqual(panel.handled, [0, 1, 2], "a closure on the main actor")
  expectEqual(panel.observed, [0, 1, 2], "an observer on the main actor")
  expectEqual(handled.entries.count, 3, "a closure on a queue")
  expectEqual(await keeper.states.count, 3, "an actor")
  expectEqual(observed.entries, [0, 1, 2], "an observer on a queue")
  expectEqual(readOnly.unsubscribe(meter), .quiescent, "unsubscribing")
  expectEqual(readOnly.subscriberCount, 6, "the others stay")
  withExtendedLifetime(observations) {}
  passed("ReadOnlyPublisher: every way to subscribe")
}

func derivedPublishers() {
  let publisher = Publisher<Int>(label: "numbers")
  let thread = Here.thread
  let texts = publisher.map(label: "texts") { number in
    Here.expectThread(thread)
    return "\(number)"
  }
  let parity = texts.map(label: "parity", removingDuplicates: true) { $0.count % 2 }
  let isLoud: ReadOnlyPublisher<Bool> = publisher.map(removingDuplicates: false) { $0 > 10 }
  let long = publisher.readOnly.map(removingDuplicates: true) { $0 > 10 }
  publisher.updateData(1)
  publisher.updateData(2)
  expectEqual(texts.state, .loaded("2"), "a mapped state")
  expectEqual(texts.current.version, 2, "one transition for each")
  expectEqual(texts.current.origin, .published, "its origin")
  expectEqual(parity.current.version, 1, "no transition for an equal state")
  expectEqual(isLoud.current.version, 2, "duplicates are kept")
  expectEqual(long.current.version, 1, "duplicates are removed")
  publisher.setError(Failure.offline)
  expectEqual(texts.state, .error(Failure.offline, previous: "2"), "errors and previous data")

  do {
    let brief = publisher.map { $0 }
    expectEqual(publisher.subscriberCount, 4, "derived publishers are subscribers")
    expectEqual(brief.state, publisher.state, "it begins with the current state")
  }
  expectEqual(publisher.subscriberCount, 3, "nothing is left")
  withExtendedLifetime((parity, isLoud, long)) {}
  passed("map")
}

func combinedPublishers() {
  let (names, ages) = (Publisher<String>(), Publisher<Int>())
  let people = combining(label: "people", names.readOnly, ages.readOnly, ages.map { $0 >= 18 })
  let one: ReadOnlyPublisher<String> = combining(names.readOnly)
  names.updateData("Ann")
  expectEqual(people.state.phase, .unknown, "a part is unknown")
  ages.updateData(17)
  guard case .loaded(let (name, age, isAdult)) = people.state else { fail("\(people.state)") }
  expect(name == "Ann" && age == 17 && !isAdult, "a tuple")
  ages.startLoading()
  expectEqual(people.state.phase, .loading, "a part is loading")
  expectEqual(people.state.value?.1, 17, "previous data")
  names.setError(Failure.denied)
  expectEqual(people.state.error as? Failure, .denied, "a part has failed")
  expectEqual(one.state, .error(Failure.denied, previous: "Ann"), "one part")
  passed("combining")
}
