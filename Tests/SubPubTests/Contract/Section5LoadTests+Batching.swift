import SubPub
import SubPubTesting
import Testing

// Rule 5.25.
extension Section5LoadTests {
  @Test("one request has the keys that are asked for within the window, and later ones are for the next")
  func required_5_25_window() {
    let batches = BatchBench(maximum: 100)
    let early = [batches.ask(1), batches.ask(2)]
    batches.pass(.seconds(5) - .nanoseconds(1))
    let last = batches.ask(3)
    #expect(batches.requests == [])
    batches.pass(.nanoseconds(1))
    #expect(batches.requests == [[1, 2, 3]])
    let late = batches.ask(4)
    batches.answer(0, [1: "one", 2: "two", 3: "three", 4: "early"])
    #expect((early.map(\.value), last.value) == (["one", "two"], "three"))
    #expect(late.result == nil)
    batches.pass(.seconds(5))
    batches.answer(1, [4: "four"])
    #expect((batches.requests, late.value) == ([[1, 2, 3], [4]], "four"))
  }

  @Test("a request begins as soon as there are as many keys as it may have, and callers of one key share it")
  func required_5_25_maximum() {
    let batches = BatchBench(maximum: 3)
    let callers = [1, 2, 1, 2, 3, 4].map { batches.ask($0) }
    #expect(batches.requests == [[1, 2, 3]])
    batches.answer(0, [1: "one", 2: "two", 3: "three"])
    #expect(callers.map(\.value) == ["one", "two", "one", "two", "three", nil])
    // The window of the next one began with its first key, and that of the first one is forgotten.
    batches.pass(.seconds(5))
    #expect(batches.requests == [[1, 2, 3], [4]])
    #expect(batches.clock.sleepers == 0)
  }

  @Test("a request of one key waits for nothing, and one without a window only for a thread")
  func required_5_25_withoutWaiting() {
    let (single, hasty) = (BatchBench(maximum: 1, within: .seconds(4e9)), BatchBench(maximum: 100, within: .zero))
    single.ask(1)
    single.ask(2)
    hasty.ask(1)
    #expect((single.requests, hasty.requests) == ([[1], [2]], [[1]]))
    #expect((single.clock.sleepers, hasty.clock.sleepers) == (0, 0))
  }

  @Test("a key that the answer lacks is an error of that key only, which names it; another key is ignored")
  func required_5_25_missing() {
    let batches = BatchBench(maximum: 2)
    let (found, missing) = (batches.ask(1), batches.ask(2))
    batches.answer(0, [1: "one", 9: "nine"])
    #expect((found.value, missing.error as? KeyMissing<Int>) == ("one", KeyMissing(key: 2)))
    #expect(missing.error.map { "\($0)" } == "the answer has no value for the key 2")
  }

  @Test("a server may answer with an error for a key, which is the error of that key's load only")
  func required_5_25_errorOfAKey() async throws {
    let load = batching(
      maximum: 2, within: .seconds(4e9),
      results: { (keys: Set<Int>) in
        Dictionary(uniqueKeysWithValues: keys.map { ($0, $0 == 1 ? .success("one") : .failure(Failure.denied)) })
      })
    let refused = Task { try await load(2) }
    #expect(try await load(1) == "one")
    await #expect(throws: Failure.denied) { try await refused.value }
    // Without a label, too.
    let single = batching(maximum: 1, within: .zero) { (_: Set<Int>) in
      [3: Result<String, any Error>.success("three")]
    }
    #expect(try await single(3) == "three")
    await #expect(throws: KeyMissing<Int>.self) { _ = try await single(4) }
  }

  @Test("the error of a request is the error of all its keys")
  func required_5_25_error() {
    let batches = BatchBench(maximum: 2)
    let callers = [batches.ask(1), batches.ask(2)]
    batches.fail(0, Failure.denied)
    #expect(callers.map { $0.error as? Failure } == [.denied, .denied])
  }

  @Test("a cancelled caller returns at once, and the request is cancelled when no other is left")
  func required_5_25_cancelled() {
    let batches = BatchBench(maximum: 2)
    let callers = [1, 1, 2].map { batches.ask($0) }
    batches.cancel(callers[0])
    batches.cancel(callers[2])
    #expect(callers[0].error is CancellationError && callers[2].error is CancellationError)
    #expect((callers[1].result == nil, batches.source.cancelled) == (true, []))
    batches.cancel(callers[1])
    #expect((callers[1].error is CancellationError, batches.source.cancelled) == (true, [0]))
    // And nobody who comes later gets what it brings.
    let later = [batches.ask(1), batches.ask(2)]
    batches.answer(1, [1: "one", 2: "two"])
    #expect((batches.requests.count, later.map(\.value)) == (2, ["one", "two"]))
  }

  @Test("a key whose callers are cancelled before the request isn't asked for, and takes nobody's place")
  func required_5_25_cancelledEarly() {
    let batches = BatchBench(maximum: 2)
    batches.cancel(batches.ask(1))
    let second = batches.ask(2)
    #expect(batches.requests == [])
    let again = batches.ask(1)
    #expect(batches.requests == [[1, 2]])
    batches.answer(0, [1: "one", 2: "two"])
    #expect((second.value, again.value) == ("two", "one"))
    // Without any key, there is no request.
    batches.cancel(batches.ask(3))
    batches.pass(.seconds(5))
    #expect(batches.requests.count == 1)
    batches.ask(3)
    batches.pass(.seconds(5))
    #expect(batches.requests == [[1, 2], [3]])
  }

  @Test("nobody gets what was requested before they asked")
  func required_5_25_requestedBefore() {
    let batches = BatchBench(maximum: 1)
    let (first, second) = (batches.ask(1), batches.ask(1))
    batches.answer(1, [1: "new"])
    batches.answer(0, [1: "old"])
    #expect((first.value, second.value) == ("old", "new"))
  }

  @Test("without its clock, a request doesn't wait")
  func required_5_25_brokenClock() {
    let batches = BatchBench(clock: BrokenClock())
    let caller = batches.ask(1)
    batches.answer(0, [1: "one"])
    #expect((batches.requests, caller.value) == ([[1]], "one"))
  }

  /// A key that calls a closure whenever it is hashed or compared.
  private struct ProbedKey: Hashable, Sendable {
    let number: Int
    let probe: @Sendable () -> Void

    func hash(into hasher: inout Hasher) {
      probe()
      hasher.combine(number / 10)
    }

    static func == (left: Self, right: Self) -> Bool {
      left.probe()
      right.probe()
      return left.number == right.number
    }
  }

  @Test("keys are hashed and compared while no lock is held, and a key that is added meanwhile isn't added twice")
  func required_5_25_1_04_keys() async throws {
    let (executor, clock, requests) = (ManualExecutor(), ManualClock(), Locked<[[Int]]>([]))
    let batcher = KeyBatcher<ProbedKey, Int>(maximum: 4, within: .seconds(5), clock: clock, executor: executor) {
      keys in
      requests.withLock { $0.append(keys.map(\.number).sorted()) }
      return Dictionary(uniqueKeysWithValues: keys.map { ($0, $0.number) })
    }
    let others = Locked<[(executor: ManualExecutor, caller: Caller<Int?>)]>([])
    // Each time, another thread asks for two more keys, one of which is the key that is compared.
    let probe = LockProbe {
      for number in [2, 3] {
        let other = ManualExecutor()
        let caller = Caller(on: other) { try? await batcher.value(of: ProbedKey(number: number) {}) }
        other.runAll()
        others.withLock { $0.append((other, caller)) }
      }
    }
    let first = Caller(on: executor) { try? await batcher.value(of: ProbedKey(number: 1, probe: probe.run)) }
    executor.runAll()
    probe.arm()
    let second = Caller(on: executor) { try? await batcher.value(of: ProbedKey(number: 2) {}) }
    executor.runAll()
    try await probe.wait()
    // Twice, it would have counted as the fourth.
    #expect(requests.withLock { $0 } == [])
    clock.advance(by: .seconds(5))
    executor.runAll()
    #expect(requests.withLock { $0 } == [[1, 2, 3]])
    #expect((first.result, second.result) == (1, 2))
    for (executor, caller) in others.withLock({ $0 }) {
      executor.runAll()
      #expect(caller.result != nil)
    }
  }

  @Test("calls that are cancelled while their request begins throw that, and never that the answer lacks their key")
  func stochastic_5_25_cancelledAlone() async {
    let load = batching(maximum: 1, within: .zero) { (keys: Set<Int>) in
      await Task.yield()
      return Dictionary(uniqueKeysWithValues: keys.map { ($0, $0) })
    }
    for key in 0..<2_000 {
      let begun = AsyncGate()
      let task = Task {
        begun.open()
        return try await load(key)
      }
      await begun.pass()
      if key.isMultiple(of: 2) { await Task.yield() }
      task.cancel()
      switch await task.result {
      case .success(let value): #expect(value == key)
      case .failure(let error): #expect(error is CancellationError, "for \(key)")
      }
    }
  }

  @Test("a key that nobody asks for any more is released, and may be asked for again")
  func required_5_25_unwantedKeys() {
    final class Object: Sendable {}
    struct Key: Hashable, Sendable {
      let number: Int
      let object: Object
      static func == (left: Key, right: Key) -> Bool { left.number == right.number }
      func hash(into hasher: inout Hasher) { hasher.combine(number % 2) }
    }
    let (executor, asked) = (ManualExecutor(), Locked<[Int]>([]))
    let batcher = KeyBatcher<Key, Int>(maximum: 3, within: .seconds(4e9), clock: ManualClock(), executor: executor) {
      keys in
      asked.withLock { $0 += keys.map(\.number).sorted() }
      return Dictionary(uniqueKeysWithValues: keys.map { ($0, $0.number) })
    }
    func ask(_ key: Key) -> Caller<Int?> {
      let caller = Caller(on: executor) { try? await batcher.value(of: key) }
      executor.runAll()
      return caller
    }
    weak var last: Object?
    for number in 1...3 {
      let key = Key(number: 1, object: Object())
      last = key.object
      let caller = ask(key)
      caller.cancel()
      executor.runAll()
      #expect(caller.result == .some(nil), "\(number)")
    }
    #expect(last == nil)
    let callers = (1...3).map { ask(Key(number: $0, object: Object())) }
    executor.runAll()
    #expect((asked.withLock { $0 }, callers.map(\.result)) == ([1, 2, 3], [1, 2, 3]))
  }

  @Test("threads that ask for keys and are cancelled get their own values, none requested before they asked")
  func stochastic_5_25_threads() async throws {
    let seed = UInt64.random(in: 0..<1 << 32)
    print("the seed is \(seed)")
    for round in 0..<20 {
      var random = SeededGenerator(seed: seed &+ UInt64(round))
      let maximum = 1 + Int.random(in: 0..<5, using: &random)
      let (begun, wrong) = (Locked(0), Locked<[String]>([]))
      let load = batching(maximum: maximum, within: .microseconds(200)) { (keys: Set<Int>) in
        let request = begun.withLock { begun in
          begun += 1
          return begun
        }
        if keys.isEmpty || keys.count > maximum { wrong.withLock { $0.append("a request has \(keys.count) keys") } }
        await Task.yield()
        if request.isMultiple(of: 10) { throw Failure.offline }
        return Dictionary(uniqueKeysWithValues: keys.filter { $0 != 7 }.map { ($0, (key: $0, request: request)) })
      }
      let answered = Locked(0)
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<400 {
          let (key, isCancelled) = (Int.random(in: 0..<10, using: &random), Int.random(in: 0..<4, using: &random) == 0)
          group.addTask {
            let before = begun.withLock { $0 }
            let task = Task { try await load(key) }
            if isCancelled { task.cancel() }
            switch await task.result {
            case .success(let value):
              answered.withLock { $0 += 1 }
              if value.key != key || value.request <= before || key == 7 {
                wrong.withLock { $0.append("\(value) came for \(key), which was asked for after request \(before)") }
              }
            case .failure(is Failure): break
            case .failure(let error as KeyMissing<Int>):
              if error.key != key || key != 7 { wrong.withLock { $0.append("\(error) came for \(key)") } }
            case .failure(let error):
              if !(error is CancellationError && isCancelled) { wrong.withLock { $0.append("\(error)") } }
            }
          }
        }
      }
      #expect(wrong.withLock { $0 } == [])
      #expect(answered.withLock { $0 } > 100)
    }
  }
}
