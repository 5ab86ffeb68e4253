import SubPub

func stateSequences() async {
  let publisher = Publisher<Int>()
  let sequence: StateSequence<Int> = publisher.states()
  expectEqual(publisher.subscriberCount, 0, "a sequence does not listen by itself")
  await iterateByHand(publisher)
  expectEqual(publisher.subscriberCount, 0, "an iterator that is released does not listen")

  // Two independent consumers in separate tasks: the sequence is Sendable.
  let other = Publisher<Int>()
  let states = other.states()
  let first = Task { await collect(states) }
  let second = Task { await collect(states) }
  while other.subscriberCount < 2 { await Task.yield() }
  publishThree(other)
  expectEqual(await first.value, threeStates, "the first consumer")
  expectEqual(await second.value, threeStates, "the second consumer")
  expectEqual(other.subscriberCount, 0, "leaving the loop unregisters")

  // Cancellation ends a loop.
  let looping = Task {
    var count = 0
    for await _ in other.states(buffering: .latest) { count += 1 }
    return count
  }
  while other.subscriberCount < 1 { await Task.yield() }
  looping.cancel()
  expect(await looping.value <= 1, "cancellation ends the loop")
  expectEqual(other.subscriberCount, 0, "and unregisters")

  // After the publisher's end, the last state isn't lost, and nil follows.
  var brief: Publisher<Int>? = Publisher<Int>()
  guard let sequenceOfBrief = brief?.states() else { fail("made above") }
  var iterator = sequenceOfBrief.makeAsyncIterator()
  brief?.updateData(1)
  brief = nil
  expectEqual(await iterator.next(), .unknown, "the replay")
  expectEqual(await iterator.next(), .loaded(1), "the last state")
  expectEqual(await iterator.next(), nil, "the end")
  var late = sequenceOfBrief.makeAsyncIterator()
  expectEqual(await late.next(), .loaded(1), "an iterator made after the end gives the last state")
  expectEqual(await late.next(), nil, "then nil")
  withExtendedLifetime(sequence) {}
  passed("StateSequence")
}

private func iterateByHand(_ publisher: Publisher<Int>) async {
  var iterator = publisher.states(buffering: .newest(2)).makeAsyncIterator()
  expectEqual(publisher.subscriberCount, 1, "an iterator listens from when it is made")
  publishThree(publisher)
  expectEqual(iterator.statistics.pending, 2, "its buffer")
  expectEqual(iterator.statistics.skipped, 2, "what it skipped")
  expectEqual(await iterator.next(), threeStates[2], "the first that is left")
  expectEqual(await iterator.next(), threeStates[3], "the last")
  expectEqual(iterator.statistics.delivered, 2, "what it took")
  expectEqual(iterator.statistics.lastVersion, 3, "the last version")
  expectEqual(iterator.statistics.highWater, 2, "the most that waited")
}

/// Collects states up to the first error.
///
/// Needs no `try`: the sequence never fails, as its type says.
private func collect(_ sequence: some AsyncSequence<LoadState<Int>, Never>) async -> [LoadState<Int>] {
  var states: [LoadState<Int>] = []
  for await state in sequence {
    states.append(state)
    if state.phase == .error { break }
  }
  return states
}

func valueSequences() async {
  let publisher = Publisher<Int>()
  let values: ValueSequence<Int> = publisher.values(buffering: .unbounded)
  let collecting = Task {
    var collected: [Int] = []
    for await value in values {
      collected.append(value)
      if value == 3 { break }
    }
    return collected
  }
  while publisher.subscriberCount == 0 { await Task.yield() }
  publishThree(publisher)
  publisher.updateData(2)
  publisher.startLoading()
  publisher.updateData(3)
  expectEqual(await collecting.value, [1, 2, 3], "only loaded values")

  var iterator = publisher.values().makeAsyncIterator()
  expectEqual(await iterator.next(), 3, "the replay")
  expectEqual(iterator.statistics.lastVersion, publisher.current.version, "an iterator's statistics")
  let next = iterator.statistics
  expectEqual(next.delivered, 1, "what it took")
  passed("ValueSequence")
}

/// A loop on the main actor, and one on an actor, keep their isolation.
func sequencesOnActors() async {
  let publisher = Publisher<Int>()
  let onMain = Task { @MainActor in
    var states: [LoadState<Int>] = []
    for await state in publisher.states() {
      Here.expectMainActor()
      states.append(state)
      if state.phase == .error { break }
    }
    return states
  }
  let watcher = Watcher()
  let onActor = Task { await watcher.watch(publisher) }
  while publisher.subscriberCount < 2 { await Task.yield() }
  publishThree(publisher)
  expectEqual(await onMain.value, threeStates, "on the main actor")
  await onActor.value
  expectEqual(await watcher.values, [1], "on an actor")
  passed("sequences on the main actor and on an actor")
}

private actor Watcher {
  private(set) var values: [Int] = []

  func watch(_ publisher: Publisher<Int>) async {
    for await value in publisher.values() {
      preconditionIsolated()
      values.append(value)
      break
    }
  }
}
