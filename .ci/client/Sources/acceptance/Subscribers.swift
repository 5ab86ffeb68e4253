import SubPub

// Type-less subscribers: one function for any number of publishers.

/// Any thread.
private nonisolated final class Dashboard: Subscriber {
  let numbers = Journal<LoadState<Int>>()
  let names = Journal<LoadState<String>>()
  let failures = Journal<PublisherID>()

  func receive(_ publication: any AnyPublication) {
    Here.expectQueue("dashboard")
    if publication.phase == .error { failures.add(publication.source) }
    switch publication {
    case let publication as Publication<Int>: numbers.add(publication.state)
    case let publication as Publication<String>: names.add(publication.state)
    default: fail("a publication of \(publication.valueType)")
    }
  }
}

/// Main-actor state, without a lock.
@MainActor private final class Window: MainActorSubscriber {
  private(set) var numbers: [LoadState<Int>] = []
  private(set) var names: [LoadState<String>] = []

  func receive(_ publication: any AnyPublication) {
    Here.expectMainActor()
    if let publication = publication as? Publication<Int> { numbers.append(publication.state) }
    if let publication = publication as? Publication<String> { names.append(publication.state) }
  }
}

func typelessSubscribers() async {
  let numbers = Publisher<Int>()
  let names = Publisher<String>()
  let queue = Here.makeQueue("dashboard")
  let dashboard = Dashboard()
  numbers.subscribe(dashboard, on: .queue(queue))
  names.subscribe(dashboard, on: .queue(queue), buffering: .unbounded, ifDuplicate: .ignore)
  publishThree(numbers)
  names.updateData("a")
  await numbers.drain()
  await names.drain()
  expectEqual(dashboard.numbers.entries, threeStates, "numbers")
  expectEqual(dashboard.names.entries, [.unknown, .loaded("a")], "names")
  expectEqual(dashboard.failures.entries, [numbers.id], "errors need no type")
  passed("Subscriber")
}

@MainActor func mainActorSubscribers() async {
  let numbers = Publisher<Int>()
  let names = Publisher<String>()
  let window = Window()
  numbers.subscribe(window)
  names.subscribe(window, buffering: .unbounded, ifDuplicate: .replace)
  publishThree(numbers)
  names.updateData("a")
  await numbers.drain()
  await names.drain()
  expectEqual(window.numbers, threeStates, "numbers on the main actor")
  expectEqual(window.names, [.unknown, .loaded("a")], "names on the main actor")
  passed("MainActorSubscriber")

  let screen = Screen()
  let versions = VersionScreen()
  let publisher = Publisher<Int>()
  publisher.subscribe(screen)
  publisher.subscribe(versions, buffering: .unbounded, ifDuplicate: .allow)
  publishThree(publisher)
  expectEqual(screen.states, [], "never before the publish returns")
  await publisher.drain()
  expectEqual(screen.states, threeStates, "typed states on the main actor")
  expectEqual(versions.versions, [0, 1, 2, 3], "typed publications on the main actor")
  passed("MainActorTypedSubscriber")
}

// Typed subscribers.

private nonisolated final class Log: TypedSubscriber {
  let journal = Journal<LoadState<Int>>()
  func receive(_ state: LoadState<Int>) {
    Here.expectQueue("log")
    journal.add(state)
  }
}

private nonisolated final class VersionLog: TypedSubscriber {
  let versions = Journal<UInt64>()
  func receive(_ state: LoadState<Int>) { fail("the publication is asked for") }
  func receive(_ publication: Publication<Int>) {
    Here.expectQueue("log")
    versions.add(publication.version)
  }
}

@MainActor private final class Screen: MainActorTypedSubscriber {
  private(set) var states: [LoadState<Int>] = []
  func receive(_ state: LoadState<Int>) {
    Here.expectMainActor()
    states.append(state)
  }
}

@MainActor private final class VersionScreen: MainActorTypedSubscriber {
  private(set) var versions: [UInt64] = []
  func receive(_ state: LoadState<Int>) { fail("the publication is asked for") }
  func receive(_ publication: Publication<Int>) {
    Here.expectMainActor()
    versions.append(publication.version)
  }
}

func typedSubscribers() async {
  let publisher = Publisher<Int>()
  let queue = Here.makeQueue("log")
  let log = Log()
  let versions = VersionLog()
  publisher.subscribe(log, on: .queue(queue))
  publisher.subscribe(versions, on: .queue(queue), buffering: .unbounded, ifDuplicate: .replaceSameType)
  publishThree(publisher)
  await publisher.drain()
  expectEqual(log.journal.entries, threeStates, "typed states")
  expectEqual(versions.versions.entries, [0, 1, 2, 3], "typed publications")

  let anyLog: any TypedSubscriber<Int> = Log()  // an existential opens
  publisher.subscribe(anyLog, on: .queue(queue))
  await publisher.drain()
  expectEqual((anyLog as? Log)?.journal.entries, [threeStates[3]], "any TypedSubscriber<Int>")
  passed("TypedSubscriber")
}

// A class that is both.

private nonisolated final class TwoInterfaceSubscriber: Subscriber, TypedSubscriber {
  let faces = Journal<String>()
  private let thread = Here.thread

  func receive(_ publication: any AnyPublication) {
    Here.expectThread(thread)
    faces.add("type-less")
  }

  func receive(_ state: LoadState<Int>) {
    Here.expectThread(thread)
    faces.add("typed")
  }
}

@MainActor private final class TwoInterfaceScreen: MainActorSubscriber, MainActorTypedSubscriber {
  private(set) var faces: [String] = []

  func receive(_ publication: any AnyPublication) {
    Here.expectMainActor()
    faces.append("type-less")
  }

  func receive(_ state: LoadState<Int>) {
    Here.expectMainActor()
    faces.append("typed")
  }
}

@MainActor func twoInterfaces() async {
  let publisher = Publisher<Int>()
  let both = TwoInterfaceSubscriber()
  publisher.subscribe(both, on: .immediate)
  expectEqual(both.faces.entries, ["typed"], "a class with both faces gets the typed one")
  publisher.subscribe(both as any Subscriber, on: .immediate)
  expectEqual(both.faces.entries, ["typed", "type-less"], "the other for the asking")
  publisher.republish()
  expectEqual(both.faces.entries.count, 4, "two faces are two subscriptions")

  let names = Publisher<String>()
  names.subscribe(both, on: .immediate)  // no typed face for strings
  expectEqual(both.faces.entries.last, "type-less", "a publisher of another type gets the type-less one")

  let screen = TwoInterfaceScreen()
  publisher.subscribe(screen)
  await publisher.drain()
  publisher.subscribe(screen as any MainActorSubscriber)
  await publisher.drain()
  expectEqual(screen.faces, ["typed", "type-less"], "on the main actor too")
  passed("typed and type-less faces of one class")
}
