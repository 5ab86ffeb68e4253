import SubPub

func handlers() async {
  let publisher = Publisher<Int>()
  let names = Publisher<String>()
  let queue = Here.makeQueue("handlers")
  let listener = Listener()
  let texts = Journal<LoadState<String>>()
  publisher.subscribe(listener, on: .queue(queue)) { listener, state in
    Here.expectQueue("handlers")
    listener.note(state)
  }
  names.subscribe(listener, on: .queue(queue), buffering: .unbounded) { _, state in  // many to many
    Here.expectQueue("handlers")
    texts.add(state)
  }
  publishThree(publisher)
  names.updateData("a")
  await publisher.drain()
  await names.drain()
  expectEqual(listener.journal.entries, threeStates, "a handler")
  expectEqual(texts.entries, [.unknown, .loaded("a")], "a handler of another publisher")
  passed("subscribe(_:on:buffering:handler:)")

  let desk = Desk()
  let taking = publisher.subscribe(desk, on: .queue(queue)) { $0.take($1) }
  publisher.subscribe(desk, on: .queue(queue), buffering: .latest) { $0.takeLatest($1) }
  await publisher.drain()
  expectEqual(desk.taken.entries, [threeStates[3]], "a method")
  expectEqual(desk.latest.entries, [threeStates[3]], "another method")
  let again = publisher.subscribe(desk, on: .queue(queue), ifDuplicate: .ignore) { $0.take($1) }
  expectEqual(again, taking, "a closure is a duplicate where the caller asks")
  let new = publisher.subscribe(desk, on: .queue(queue), ifDuplicate: .replace) { $0.take($1) }
  expect(!taking.isActive && new.isActive, "replaced")
  passed("subscribe(_:on:buffering:ifDuplicate:handler:)")
}

/// A class that any thread may use.
private nonisolated final class Desk: Sendable {
  let taken = Journal<LoadState<Int>>()
  let latest = Journal<LoadState<Int>>()

  func take(_ state: LoadState<Int>) {
    Here.expectQueue("handlers")
    taken.add(state)
  }

  func takeLatest(_ state: LoadState<Int>) {
    Here.expectQueue("handlers")
    latest.add(state)
  }
}

/// A typical view controller.
@MainActor private final class Screen {
  private(set) var shown: [LoadState<Int>] = []
  private(set) var title = ""

  func show(_ state: LoadState<Int>) {
    Here.expectMainActor()
    shown.append(state)
  }

  func rename(_ state: LoadState<String>) {
    Here.expectMainActor()
    title = state.value ?? ""
  }
}

@MainActor func mainActorHandlers() async {
  let publisher = Publisher<Int>()
  let names = Publisher<String>()

  let screen = Screen()
  var count = 0  // main-actor state, changed on the main actor
  publisher.subscribe(screen) { screen, state in
    count += 1
    screen.show(state)
  }
  names.subscribe(screen, buffering: .latest) { screen, state in screen.rename(state) }
  publishThree(publisher)
  names.updateData("a")
  expectEqual(screen.shown, [], "never before the publish returns")
  await publisher.drain()
  await names.drain()
  expectEqual(screen.shown, threeStates, "a main-actor handler")
  expectEqual(count, 4, "what it captured")
  expectEqual(screen.title, "a", "a handler of another publisher")

  let listener = Listener()  // no main-actor class: the handler runs there all the same
  publisher.subscribe(listener) { listener, state in
    Here.expectMainActor()
    listener.note(state)
  }
  await publisher.drain()
  expectEqual(listener.journal.entries, [threeStates[3]], "a main-actor handler of any class")
  passed("subscribe(_:buffering:handler:) on the main actor")

  let second = Screen()
  publisher.subscribe(second, on: .main) { $0.show($1) }
  names.subscribe(second, buffering: .unbounded, ifDuplicate: .replace) { $0.rename($1) }
  await publisher.drain()
  await names.drain()
  expectEqual(second.shown, [threeStates[3]], "a main-actor method")
  expectEqual(second.title, "a", "a method for another publisher")
  let onMain: MainActorContext = .main
  let observation = publisher.observe(on: onMain, buffering: .latest) {
    Here.expectMainActor()
    second.show($0.state)
  }
  await publisher.drain()
  expectEqual(second.shown.count, 2, "an observer on the main actor")
  expectEqual(observation.cancel(), .quiescent, "its end")
  passed("subscribe(_:on:buffering:ifDuplicate:handler:) on the main actor")
}

func actorHandlers() async {
  let publisher = Publisher<Int>()
  let tally = Tally()
  publisher.subscribe(tally) { tally, state in
    Here.expectActor(tally)
    tally.add(state)  // no await: the handler is isolated to the actor
  }
  publishThree(publisher)
  await publisher.drain()
  let states = await tally.states
  expectEqual(states, threeStates, "an actor's handler")

  let housekeeper = Housekeeper()
  publisher.subscribe(housekeeper, buffering: .latest) { (housekeeper: isolated Housekeeper, state) in
    housekeeper.preconditionIsolated()
    housekeeper.add(state)
  }
  publisher.updateData(9)
  await publisher.drain()
  let last = await housekeeper.states.last
  expectEqual(last, .loaded(9), "an actor with an executor of its own")
  passed("subscribe(_:buffering:handler:) of an actor")
}

func unsubscribing() async {
  let publisher = Publisher<Int>()
  let listener = Listener()
  publisher.subscribe(listener, on: .immediate) { listener, state in listener.note(state) }
  publisher.subscribe(listener, on: .background) { listener, state in listener.note(state) }
  await publisher.drain()
  expectEqual(publisher.subscriberCount, 2, "two handlers of one object")
  expectEqual(publisher.unsubscribe(listener), .quiescent, "unsubscribe")
  expectEqual(publisher.subscriberCount, 0, "every subscription of that object")
  expectEqual(publisher.unsubscribe(listener), .alreadyCancelled, "unsubscribe again")
  publisher.republish()
  await publisher.drain()
  expectEqual(listener.journal.entries, [.unknown, .unknown], "nothing comes after it")

  do {
    let guest = Guest(publisher)
    publisher.subscribe(guest, on: .immediate) { _, _ in }
    expectEqual(publisher.subscriberCount, 1, "a guest")
  }
  expectEqual(publisher.subscriberCount, 0, "a guest that unsubscribed in its deinit")
  passed("unsubscribe")
}

/// Unsubscribes when it is released.
private nonisolated final class Guest: Sendable {
  private let publisher: Publisher<Int>
  init(_ publisher: Publisher<Int>) { self.publisher = publisher }
  deinit { publisher.unsubscribe(self) }
}
