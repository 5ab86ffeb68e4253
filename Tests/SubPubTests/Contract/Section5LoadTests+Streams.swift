import SubPub
import SubPubTesting
import Testing

// Rule 5.21: who begins and ends a stream.
extension Section5LoadTests {
  @Test("a stream runs once for all listeners: the first sees loading, and each every element after its replay")
  func required_5_21_once() {
    let listeners = (0..<10).map { number in
      let listener = stream.listen()
      stream.send(number)
      return listener
    }
    stream.refreshIfNeeded()
    stream.send(10)
    #expect(stream.calls == 1)
    #expect(listeners[0].states.prefix(2) == [.unknown, .loading(previous: nil)])
    #expect((stream.publisher.current.origin, stream.publisher.isStale) == (.loaded, false))
    for (number, listener) in listeners.enumerated() {
      let values = listener.states.filter { $0.phase == .loaded }.map(\.value)
      #expect(values == Array(max(0, number - 1)...10))
    }
  }

  @Test("a stream ends with the last listener, before its cancel returns, and begins anew with the next")
  func required_5_21_ends() {
    let (first, second) = (stream.listen(), stream.listen())
    stream.send(1)
    stream.leave(first)
    stream.send(2)
    #expect(stream.isRunning)
    stream.publisher.unsubscribe(second)
    #expect(!stream.isRunning)
    #expect(stream.source.last.isCancelled)
    stream.run()
    #expect(stream.source.last.isOver)
    // The last element stays.
    #expect(stream.publisher.state == .loaded(2))
    let third = stream.listen()
    #expect((third.states, stream.calls) == ([.loaded(2), .loading(previous: 2)], 2))
    stream.send(3)
    #expect((third.states.last, second.states.last) == (.loaded(3), .loaded(2)))
  }

  /// The ways in which a run ends.
  enum RunEnd: String, CaseIterable, Sendable { case left, ended, managerReleased }

  @Test(
    "a run that ends before its first element restores the state before it", arguments: Before.allCases, RunEnd.allCases
  )
  func required_5_21_5_09_restores(before: Before, end: RunEnd) {
    before.make(at: stream.publisher)
    let old = stream.publisher.current
    let listener = stream.listen()
    #expect(stream.publisher.state == .loading(previous: old.state.value))
    switch end {
    case .left: stream.leave(listener)
    case .ended: stream.end()
    case .managerReleased: stream.releaseManager()
    }
    #expect((stream.publisher.state, stream.isRunning) == (old.state, false))
    #expect(stream.publisher.current.origin == old.origin)
    stream.run()
    #expect(stream.source.last.isOver)
  }

  @Test("the next element is asked for only when the last one is published")
  func required_5_21_backPressure() {
    let asked = Locked<[String]>([])
    stream.publisher.subscribe(makeListener(), on: .immediate) { [source = stream.source] _, state in
      guard case .loaded(let value) = state else { return }
      asked.withLock { $0.append("\(value) while \(source.last.asked) asked") }
    }
    stream.run()
    #expect(stream.source.last.asked == 1)
    stream.source.last.send(1, 2, 3)
    stream.run()
    // A subscriber on the publishing thread has received each element before the next call.
    #expect(asked.withLock { $0 } == ["1 while 1 asked", "2 while 2 asked", "3 while 3 asked"])
    #expect(stream.source.last.asked == 4)
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
    do {
      // Dies unnoticed, after the stream's end.
      let dying = bench.listen()
      bench.end()
      withExtendedLifetime(dying) {}
    }
    let (directory, log) = (PublisherDirectory(), Listener())
    directory.register(bench.publisher)
    let all = directory.subscribeToAll(log, on: .immediate)
    #expect(bench.isRunning)
    bench.run()
    #expect(bench.calls == 2)
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
    #expect((bench.calls, bench.isRunning) == (1, true))
    #expect((listener.states.suffix(2), bench.clock.sleepers) == ([.loaded(3), .loaded(4)], 0))
  }

  @Test("a listener may leave, come back, and bring others inside its deliveries")
  func required_5_21_insideDeliveries() {
    let (log, other) = (Recorder<Int>(), Recorder<Int>())
    let object = makeListener()
    stream.publisher.subscribe(object, on: .immediate) { [publisher = Weak(stream.publisher)] object, state in
      log.receive(state)
      if state == .loaded(1) { publisher.object?.unsubscribe(object) }
      if state == .loaded(3) { publisher.object?.subscribe(other, on: .immediate) }
    }
    stream.run()
    stream.send(1, 2)
    // It has left with the first element, and nobody has asked for the second.
    #expect((stream.isRunning, stream.source.last.asked) == (false, 1))
    #expect(log.states == [.unknown, .loading(previous: nil), .loaded(1)])
    stream.publisher.subscribe(object, on: .immediate) { [publisher = Weak(stream.publisher)] object, state in
      if state == .loaded(3) {
        publisher.object?.subscribe(other, on: .immediate)
        publisher.object?.unsubscribe(object)
      }
    }
    stream.run()
    stream.send(3)
    #expect(stream.isRunning)
    stream.send(4)
    #expect((stream.calls, other.states) == (2, [.loaded(3), .loaded(4)]))
  }

  @Test("a listener that leaves when it sees loading ends the run before its stream is made")
  func required_5_21_leavesAtOnce() {
    let object = makeListener()
    stream.publisher.subscribe(object, on: .immediate) { [publisher = Weak(stream.publisher)] object, state in
      if state.phase == .loading { publisher.object?.unsubscribe(object) }
    }
    #expect((stream.isRunning, stream.publisher.state) == (false, .unknown))
    stream.run()
    #expect(stream.calls == 0)
    let listener = stream.listen()
    stream.send(1)
    #expect(listener.states == [.unknown, .loading(previous: nil), .loaded(1)])
  }

  @Test("a dead listener is noticed at the next element, or when the count is asked for", arguments: [true, false])
  func required_5_21_dead(byCount: Bool) {
    var listener: Recorder<Int>? = stream.listen()
    stream.send(1)
    #expect(listener?.states.last == .loaded(1))
    listener = nil
    #expect(stream.isRunning)
    if byCount { #expect(stream.publisher.subscriberCount == 0) } else { stream.send(2) }
    #expect(!stream.isRunning)
    stream.run()
    #expect((stream.source.last.isOver, stream.publisher.state) == (true, .loaded(byCount ? 1 : 2)))
  }

  @Test("no element is lost when a new listener takes over from a dead one that nobody has noticed")
  func required_5_21_handOver() {
    for number in 0..<20 {
      var dying: Recorder<Int>? = stream.listen()
      stream.send(2 * number)
      dying = nil
      #expect(dying == nil)
      let next = stream.listen()
      stream.send(2 * number + 1)
      #expect(next.states.suffix(2) == [.loaded(2 * number), .loaded(2 * number + 1)])
      stream.publisher.subscribe(makeListener(), on: .immediate) { _, _ in }
    }
    #expect(stream.calls == 1)
  }

  @Test("a subscriber that has died unnoticed doesn't keep an ended stream from beginning anew", arguments: [1, 40])
  func required_5_21_deadAfterTheEnd(count: Int) {
    var dying = (0..<count).map { _ in stream.listen() }
    stream.send(1)
    stream.end()
    #expect(!stream.isRunning)
    // The second isn't the first listener.
    let second = stream.listen()
    #expect(stream.calls == 1)
    stream.leave(second)
    withExtendedLifetime(dying) {}
    dying = []
    #expect(dying.isEmpty)
    let next = stream.listen()
    #expect(stream.calls == 2)
    stream.send(2)
    #expect(next.states == [.loaded(1), .loading(previous: 1), .loaded(2)])
  }

  @Test("a subscriber that has died unnoticed has no ended stream begin anew")
  func required_5_21_2_05_deadAsks() {
    var dying: Recorder<Int>? = stream.listen()
    stream.send(1)
    stream.end()
    withExtendedLifetime(dying) {}
    dying = nil
    let version = stream.publisher.current.version
    stream.refreshIfNeeded()
    #expect((stream.calls, stream.isRunning, stream.publisher.current.version) == (1, false, version))
  }
}
