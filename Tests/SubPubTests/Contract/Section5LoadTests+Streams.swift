import SubPub
import SubPubTesting
import Testing

// Rule 5.21: who begins and ends a stream.
extension Section5LoadTests {
  @Test("a stream begins with the first listener, which sees loading and then every element")
  func required_5_21_begins() {
    let bench = StreamBench()
    bench.refreshIfNeeded()
    #expect(bench.calls == 0)
    #expect(!bench.isRunning)
    let log = Recorder<Int>()
    bench.publisher.subscribe(log, on: .immediate)
    // Before the stream's task has run.
    #expect(bench.isRunning)
    #expect(log.states == [.unknown, .loading(previous: nil)])
    bench.run()
    #expect(bench.calls == 1)
    bench.send(1)
    bench.send(2)
    #expect(log.states == [.unknown, .loading(previous: nil), .loaded(1), .loaded(2)])
    #expect(bench.publisher.current.origin == .loaded)
    #expect(!bench.publisher.isStale)
  }

  @Test("a stream runs once for any number of listeners, and each gets every element after its replay")
  func required_5_21_once() {
    let bench = StreamBench()
    let listeners = (0..<10).map { number in
      let listener = bench.listen()
      bench.send(number)
      return listener
    }
    bench.refreshIfNeeded()
    bench.send(10)
    #expect(bench.calls == 1)
    for (number, listener) in listeners.enumerated() {
      let values = listener.states.filter { $0.phase == .loaded }.map(\.value)
      #expect(values == Array(max(0, number - 1)...10))
    }
  }

  @Test("a stream ends with the last listener, before its cancel returns, and begins anew with the next")
  func required_5_21_ends() {
    let bench = StreamBench()
    let (first, second) = (bench.listen(), bench.listen())
    bench.send(1)
    bench.leave(first)
    bench.send(2)
    #expect(bench.isRunning)
    bench.publisher.unsubscribe(second)
    #expect(!bench.isRunning)
    #expect(bench.source.last.isCancelled)
    bench.run()
    #expect(bench.source.last.isOver)
    // The last element stays.
    #expect(bench.publisher.state == .loaded(2))
    let third = bench.listen()
    #expect(third.states == [.loaded(2), .loading(previous: 2)])
    #expect(bench.calls == 2)
    bench.send(3)
    #expect(third.states.last == .loaded(3))
    #expect(second.states.last == .loaded(2))
  }

  @Test("a run that ends before its first element restores the state before it", arguments: Before.allCases)
  func required_5_21_restores(before: Before) {
    let bench = StreamBench()
    before.make(at: bench.publisher)
    let state = bench.publisher.state
    let listener = bench.listen()
    #expect(bench.publisher.state == .loading(previous: state.value))
    bench.leave(listener)
    #expect(bench.publisher.state == state)
    #expect(!bench.isRunning)
  }

  @Test("the next element is asked for only when the last one is published")
  func required_5_21_backPressure() {
    let bench = StreamBench()
    let asked = Locked<[String]>([])
    bench.publisher.subscribe(keptFor(bench), on: .immediate) { [source = bench.source] _, state in
      guard case .loaded(let value) = state else { return }
      asked.withLock { $0.append("\(value) while \(source.last.asked) asked") }
    }
    bench.run()
    #expect(bench.source.last.asked == 1)
    bench.source.last.send(1, 2, 3)
    bench.run()
    // A subscriber on the publishing thread has received each element before the next call.
    #expect(asked.withLock { $0 } == ["1 while 1 asked", "2 while 2 asked", "3 while 3 asked"])
    #expect(bench.source.last.asked == 4)
  }

  @Test("every open subscription is a listener: closures, observers, iterators, and those of a directory")
  func required_5_21_kinds() {
    let bench = StreamBench()
    let observer = bench.publisher.observe(on: .immediate) { _ in }
    #expect(bench.isRunning)
    observer.cancel()
    #expect(!bench.isRunning)
    do {
      let iterator = bench.publisher.states().makeAsyncIterator()
      defer { withExtendedLifetime(iterator) {} }
      #expect(bench.isRunning)
    }
    #expect(!bench.isRunning)
    let (directory, log) = (PublisherDirectory(), TypelessLog())
    directory.register(bench.publisher)
    let all = directory.subscribeToAll(log, on: .immediate)
    #expect(bench.isRunning)
    bench.run()
    #expect(bench.calls == 1)
    all.cancel()
    #expect(!bench.isRunning)
  }

  @Test("a subscription that replaces the only other one keeps the run", arguments: [Duration.zero, .seconds(5)])
  func required_5_21_replaced(keepingAlive: Duration) {
    let bench = StreamBench(keepingAlive: keepingAlive)
    let listener = bench.listen()
    bench.send(1)
    for round in 2..<5 {
      bench.publisher.subscribe(listener, on: .immediate, ifDuplicate: .replace)
      bench.send(round)
    }
    bench.pass(.seconds(5))
    #expect(bench.calls == 1)
    #expect(bench.isRunning)
    #expect(listener.states.suffix(2) == [.loaded(3), .loaded(4)])
    #expect(bench.clock.sleepers == 0)
  }

  @Test("a listener may leave, come back, and bring others inside its deliveries")
  func required_5_21_insideDeliveries() {
    let bench = StreamBench()
    let (log, other) = (Recorder<Int>(), Recorder<Int>())
    let object = keptFor(bench)
    bench.publisher.subscribe(object, on: .immediate) { [publisher = Weak(bench.publisher)] object, state in
      log.receive(state)
      if state == .loaded(1) { publisher.object?.unsubscribe(object) }
      if state == .loaded(3) { publisher.object?.subscribe(other, on: .immediate) }
    }
    bench.run()
    bench.send(1, 2)
    // It has left with the first element, and nobody has asked for the second.
    #expect(!bench.isRunning)
    #expect(bench.source.last.asked == 1)
    #expect(log.states == [.unknown, .loading(previous: nil), .loaded(1)])
    bench.publisher.subscribe(object, on: .immediate) { [publisher = Weak(bench.publisher)] object, state in
      if state == .loaded(3) {
        publisher.object?.subscribe(other, on: .immediate)
        publisher.object?.unsubscribe(object)
      }
    }
    bench.run()
    bench.send(3)
    #expect(bench.isRunning)
    bench.send(4)
    #expect(bench.calls == 2)
    #expect(other.states == [.loaded(3), .loaded(4)])
  }

  @Test("a listener that leaves when it sees loading ends the run before its stream is made")
  func required_5_21_leavesAtOnce() {
    let bench = StreamBench()
    let object = keptFor(bench)
    bench.publisher.subscribe(object, on: .immediate) { [publisher = Weak(bench.publisher)] object, state in
      if state.phase == .loading { publisher.object?.unsubscribe(object) }
    }
    #expect(!bench.isRunning)
    #expect(bench.publisher.state == .unknown)
    bench.run()
    #expect(bench.calls == 0)
    let listener = bench.listen()
    bench.send(1)
    #expect(listener.states == [.unknown, .loading(previous: nil), .loaded(1)])
  }

  @Test("a dead listener is noticed at the next element, or when the count is asked for", arguments: [true, false])
  func required_5_21_dead(byCount: Bool) {
    let bench = StreamBench()
    var listener: Recorder<Int>? = bench.listen()
    bench.send(1)
    #expect(listener?.states.last == .loaded(1))
    listener = nil
    #expect(bench.isRunning)
    if byCount { #expect(bench.publisher.subscriberCount == 0) } else { bench.send(2) }
    #expect(!bench.isRunning)
    bench.run()
    #expect(bench.source.last.isOver)
    #expect(bench.publisher.state == .loaded(byCount ? 1 : 2))
  }

  @Test("no element is lost when a new listener takes over from a dead one that nobody has noticed")
  func required_5_21_handOver() {
    let bench = StreamBench()
    for number in 0..<20 {
      var dying: Recorder<Int>? = bench.listen()
      bench.send(2 * number)
      dying = nil
      #expect(dying == nil)
      let next = bench.listen()
      bench.send(2 * number + 1)
      #expect(next.states.suffix(2) == [.loaded(2 * number), .loaded(2 * number + 1)])
      bench.publisher.subscribe(keptFor(bench), on: .immediate) { _, _ in }
    }
    #expect(bench.calls == 1)
  }

  @Test("a subscriber that has died unnoticed doesn't keep an ended stream from beginning anew", arguments: [1, 40])
  func required_5_21_deadAfterTheEnd(count: Int) {
    let bench = StreamBench()
    var dying = (0..<count).map { _ in bench.listen() }
    bench.send(1)
    bench.end()
    #expect(!bench.isRunning)
    // The second isn't the first listener.
    let second = bench.listen()
    #expect(bench.calls == 1)
    bench.leave(second)
    withExtendedLifetime(dying) {}
    dying = []
    #expect(dying.isEmpty)
    let next = bench.listen()
    #expect(bench.calls == 2)
    bench.send(2)
    #expect(next.states == [.loaded(1), .loading(previous: 1), .loaded(2)])
  }

  /// An object that lives as long as the bench.
  func keptFor(_ bench: StreamBench) -> Deaths.Token {
    let object = Deaths().makeToken()
    bench.keep(object)
    return object
  }
}

/// A type-less subscriber that does nothing.
final class TypelessLog: Subscriber {
  func receive(_ publication: any AnyPublication) {}
}
