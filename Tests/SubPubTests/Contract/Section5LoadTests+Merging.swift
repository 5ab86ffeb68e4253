import SubPub
import SubPubTesting
import Support
import Testing

// Rule 5.26: what a server pushes.
extension Section5LoadTests {
  @Test("what is pushed goes into the server's data, under the pending edits, and a refused edit leaves it there")
  func required_5_26_underEdits() {
    let edit = edits.edit(1)
    let merge = edits.push(9)
    #expect((edits.states.suffix(2), edits.origin) == ([.loaded(51), .loaded(591)], .edited))
    #expect(merge.result == true)
    edits.refuse(0)
    #expect((edits.states.last, edits.origin) == (.loaded(59), .published))
    #expect(edit.result != nil)
  }

  @Test("without data, and after the publisher's end, nothing is pushed")
  func required_5_26_withoutData() {
    let empty = EditBench(LoadBench())
    let version = empty.publisher.current.version
    #expect((empty.push(9).result, empty.publisher.current.version) == (false, version))
    edits.publisher.finish()
    #expect((edits.push(9).result, edits.publisher.state) == (false, .loaded(5)))
  }

  @Test("a push supersedes no load, and the load's result, which may lack it, doesn't count as fresh")
  func required_5_26_5_15_load() {
    let refresh = edits.loads.refresh()
    edits.push(9)
    #expect((edits.publisher.state, edits.loads.source.cancelled) == (.loading(previous: 59), []))
    // Whoever asks now shares the load.
    edits.loads.refresh()
    edits.loads.answer(0, 6)
    #expect((refresh.result, edits.publisher.isStale, edits.loads.source.calls) == (.loaded(6), true, 1))
    edits.loads.refreshIfNeeded()
    edits.loads.answer(1, 7)
    #expect((edits.publisher.state, edits.publisher.isStale) == (.loaded(7), false))
  }

  @Test("what is pushed is written to the cache, and one that may lack it isn't fresh")
  func required_5_26_5_10_cache() async {
    let cache = ProbeCache()
    let manager = LoadingManager(initial: 5, cache: cache) { 6 }
    await manager.merge { $0 * 10 + 9 }
    await manager.waitForCache()
    #expect(cache.content == 59)
    // It is from before the push, for which there is no data.
    let other = LoadingManager(staleAfter: .seconds(1_000), cache: cache) { 7 }
    #expect(await other.merge { $0 * 10 + 9 } == false)
    #expect(await (try? other.value()) == 7)
  }

  @Test("a cached value that lacks what was pushed goes if it can't be replaced")
  func required_5_26_5_20_refusedWrite() async {
    let cache = ProbeCache(4)
    cache.refuse(.write)
    let manager = LoadingManager(initial: 5, cache: cache) { 6 }
    await manager.merge { $0 * 10 + 9 }
    await manager.waitForCache()
    #expect(cache.content == nil)
  }

  @Test("a caller of mutate who is cancelled while others' foreign code runs returns, and nothing is sent")
  func required_5_27_5_20_cancelledWait() async throws {
    let (manager, gate) = (LoadingManager(initial: 5) { 6 }, Gate())
    let merging = Task.detached(executorPreference: QueueExecutor(label: "merging")) {
      await manager.merge { data in
        gate.pass()
        return data + 1
      }
    }
    try await gate.waitUntilHeld()
    let callers = ManualExecutor()
    let edit = Caller(on: callers) { [manager] in
      await #expect(throws: CancellationError.self) {
        try await manager.mutate(showing: { $0 * 10 }, sendOnly: { Issue.record("sent") })
      }
      return true
    }
    callers.runAll()
    #expect(edit.result == nil, "it waits")
    edit.cancel()
    callers.runAll()
    #expect(edit.result == true)
    gate.open()
    #expect(await merging.value)
    #expect(manager.publisher.state == .loaded(6))
  }

  @Test("lists and streams take what is pushed, too; a list keeps its pages, and an element replaces it")
  func required_5_26_otherManagers() async {
    let list = PagedManager<Int, Int>(firstPage: 0) { page in (elements: [page], next: page + 1) }
    await list.loadNextPage()
    #expect(await list.merge { [9] + $0 })
    await list.loadNextPage()
    #expect(list.publisher.state.value?.elements == [9, 0, 1])
    let listener = stream.listen()
    stream.send(5)
    let merge = Caller(on: stream.executor) { [manager = stream.manager] in await manager?.merge { $0 * 10 + 9 } }
    stream.run()
    #expect((stream.publisher.state, merge.result) == (.loaded(59), true))
    stream.send(6)
    #expect(listener.states.suffix(2) == [.loaded(59), .loaded(6)])
  }

  @Test("everything that several tasks push is there, once, in the order of each task, whatever edits come and go")
  func stochastic_5_26_5_27_concurrentPushes() async {
    let (tasks, rounds) = (4, 200)
    let manager = LoadingManager<[[Int]]>(initial: Array(repeating: [], count: tasks)) { [] }
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<tasks {
        group.addTask {
          for round in 0..<rounds {
            await manager.merge { data in
              var data = data
              data[task].append(round)
              return data
            }
          }
        }
      }
      group.addTask {
        for _ in 0..<rounds / 4 {
          try? await manager.mutate(showing: { $0 + [[7]] }, sendOnly: { throw Failure.denied })
        }
      }
    }
    #expect(manager.publisher.state.value == Array(repeating: Array(0..<rounds), count: tasks))
  }
}

// Rule 5.27: foreign code that others overtake.
extension Section5LoadTests {
  @Test("foreign code runs again only if others have published meanwhile, and then with the new data")
  func required_5_27_byHand() async {
    let (manager, calls) = (LoadingManager(initial: 5) { 6 }, Locked<[Int]>([]))
    await manager.merge { [manager] data in
      let isFirst = calls.withLock { calls in
        calls.append(data)
        return calls.count == 1
      }
      if isFirst { OwnThread.runBlocking { manager.publisher.updateData(50) } }
      return data + 1
    }
    #expect((calls.withLock { $0 }, manager.publisher.state) == ([5, 50], .loaded(51)))
  }

  @Test("the result of a load waits for foreign code, which runs once, and then takes the place of what was pushed")
  func required_5_27_5_26_result() async throws {
    let (calls, gate) = (Locked(0), Gate())
    edits.loads.refresh()
    let merging = Task.detached(executorPreference: QueueExecutor(label: "merging")) { [manager = edits.manager] in
      await manager.merge { data in
        calls.withLock { $0 += 1 }
        gate.pass()
        return data * 10 + 9
      }
    }
    try await gate.waitUntilHeld()
    edits.loads.answer(0, 6)
    #expect(edits.publisher.state == .loading(previous: 5))
    gate.open()
    #expect(await merging.value)
    edits.loads.run()
    #expect((edits.publisher.state, edits.publisher.isStale, calls.withLock { $0 }) == (.loaded(6), true, 1))
  }

  @Test("however many pushes and edits meet, foreign code runs once for each, and once more for each set")
  func stochastic_5_27_calls() async {
    let (tasks, rounds, calls, sets) = (4, 200, Locked(0), Locked(0))
    let manager = LoadingManager(initial: 0) { 0 }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<tasks {
        group.addTask {
          for _ in 0..<rounds {
            await manager.merge { data in
              calls.withLock { $0 += 1 }
              return data + 1
            }
          }
        }
      }
      group.addTask {
        for _ in 0..<rounds / 10 {
          manager.set(0)
          sets.withLock { $0 += 1 }
          await Task.yield()
        }
      }
    }
    let (count, least) = (calls.withLock { $0 }, tasks * rounds)
    #expect(count >= least && count <= least + sets.withLock { $0 })
  }
}

extension EditBench {
  /// The server pushes a digit.
  @discardableResult func push(_ digit: Int) -> Caller<Bool> {
    loads.call { [manager] in await manager.merge { $0 * 10 + digit } }
  }
}
