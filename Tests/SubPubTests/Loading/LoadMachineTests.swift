#if DEBUG
  import SubPub
  import Testing

  @testable import SubPub

  /// Every operation in every phase, as a value: what a turn decides.
  @Suite("The machine of loads and edits decides everything in its turns")
  struct LoadMachineTests {
    /// What isn't in the table decides nothing.
    @Test("every operation in every phase", arguments: LoadMachineBench.Phase.allCases)
    func required_5_03_5_04_5_05_5_20_5_23_operations(in phase: LoadMachineBench.Phase) {
      let table = LoadMachineBench.Operation.allCases.compactMap { operation in
        var bench = LoadMachineBench(phase)
        let decision = bench.perform(operation)
        return decision.isEmpty ? nil : "\(operation): \(decision)"
      }
      let expected = (Self.expected[phase] ?? "").split(separator: "\n").map(String.init)
      #expect(table == expected)
    }

    @Test("a poll that pauses is released with the manager, and one that has paused leaves nothing behind")
    func required_5_17_5_09_pauses() {
      var (driven, waiters) = (DrivenLoads<Int>(), Waiters())
      let (first, second) = (waiters.add(missing: 1), waiters.add(missing: 1))
      for waiter in [first, second] { driven.machine.polls.pausing[waiter] = false }
      driven.machine.polls.pausing[first] = nil
      #expect(driven.machine.polls.pausing == [second: false])
      #expect(driven.machine.endManager(driven.present).publisher.released == [second])
      #expect((driven.machine.polls.pausing, driven.machine.isOver) == ([:], true))
    }

    @Test("the publisher's end releases all polls, and tasks that wait to send an edit")
    func required_3_09_5_17_finish() {
      var (driven, waiters) = (DrivenLoads<Int>(LoadMachine.Rules(sendsOneAtATime: true)), Waiters())
      for endsAtLogout in [false, true] {
        driven.machine.polls.pausing[waiters.add(missing: 1)] = endsAtLogout
      }
      driven.follow(driven.machine.set(ServerData(1, nil), driven.present))
      let edits = [EditID(), EditID()]
      for id in edits { driven.take { $0.add(Edit(id: id) { $0 + 1 }, $1, $2) } }
      #expect(edits.map { driven.beginSend(of: $0) } == [.now, .later])
      driven.finish()
      #expect(driven.released == 3)
      #expect((driven.machine.polls.pausing, driven.machine.isOver, driven.machine.stack.edits.count) == ([:], true, 0))
    }

    @Test("the end of every load counts for polls, also of one whose result may lack an edit, and is dropped")
    func required_5_17_5_20_ends() {
      var driven = DrivenLoads<Int>()
      func lastEnd(after body: (inout DrivenLoads<Int>, RunID) -> Void) -> Duration? {
        _ = driven.ask { $0.ask(for: LoadRequest(kind: .whole), by: $1, $2) }
        driven.machine.load.map { body(&driven, $0.id) }
        return driven.machine.polls.lastEnd
      }
      let first = lastEnd { driven, id in
        driven.take { $0.succeed(with: 1, at: .seconds(1), of: id, compares: false, $1, $2) }
      }
      let second = lastEnd { driven, id in
        let present = driven.present
        driven.follow(driven.machine.fail(LoadMachineBench.Refusal(), at: .seconds(2), of: id, present))
      }
      let third = lastEnd { driven, id in
        let edit = EditID()
        driven.take { $0.add(Edit(id: edit) { $0 + 1 }, $1, $2) }
        driven.take { $0.endEdit(edit, .accepted, $1, $2) }
        driven.take { $0.succeed(with: 1, at: .seconds(3), of: id, compares: false, $1, $2) }
      }
      #expect([first, second, third] == [.seconds(1), .seconds(2), .seconds(3)])
      #expect(driven.shown.state == .loaded(2))
    }

    @Test("a logout releases the polls that end at one, and makes their requests void")
    func required_5_17_logout() {
      var (driven, waiters) = (DrivenLoads<Int>(), Waiters())
      let (ending, other) = (waiters.add(missing: 1), waiters.add(missing: 1))
      driven.machine.polls.pausing[ending] = true
      driven.machine.polls.pausing[other] = false
      #expect(driven.machine.logout(driven.present).publisher.released == [ending])
      #expect(driven.machine.polls.pausing == [other: false])
      for (logouts, answer) in [(0, LoadAnswer.nothing), (1, .began)] {
        let request = LoadRequest(kind: .whole, logouts: logouts)
        #expect(driven.machine.ask(for: request, by: nil, driven.present).1 == answer)
      }
    }

    static let expected: [LoadMachineBench.Phase: String] = [
      .nothing: """
      ask: began, loading, begun whole with the cache
      askForPage: began, loading, begun whole with the cache
      askAgain: began, loading, begun whole with the cache
      askIfNeeded: began, loading, begun whole with the cache
      set: loaded(1) published, write 1 of 0.0 seconds
      logout: unknown, clear
      invalidate: is stale
      acceptEdit: is stale, clear
      answerEdit: is stale, clear
      mergeEdit: is stale, clear
      """,
      .data: """
      ask: began, loading(previous: 1) published, begun whole
      askForPage: began, loading(previous: 1) published, begun page
      askAgain: began, loading(previous: 1) published, begun whole
      set: loaded(1) published, write 1 of 0.0 seconds
      logout: unknown, clear
      invalidate: is stale
      edit: loaded(101) edited
      acceptEdit: is stale, clear
      answerEdit: is stale, clear
      mergeEdit: is stale, clear
      """,
      .error: """
      ask: began, loading(previous: 1) published, begun whole
      askForPage: began, loading(previous: 1) published, begun page
      askAgain: began, loading(previous: 1) published, begun whole
      askIfNeeded: began, loading(previous: 1) published, begun whole
      set: loaded(1) published, write 1 of 0.0 seconds
      logout: unknown, clear
      invalidate: is stale
      edit: error(Refusal(), previous: 101) edited
      acceptEdit: is stale, clear
      answerEdit: is stale, clear
      mergeEdit: is stale, clear
      """,
      .loading: """
      ask: joined
      askForPage: joined
      askAgain: began, loading, cancelled, released 1, begun whole with the cache
      askIfNeeded: joined
      leave: unknown, cancelled
      cancel: unknown, cancelled, released 1
      endManager: unknown, cancelled, released 1
      supersede: cancelled, released 1
      set: loaded(1) published, cancelled, released 1, write 1 of 0.0 seconds
      logout: unknown, cancelled, released 1, clear
      invalidate: is stale
      findFresh: loaded(5) cached
      findStale: loaded(5) cached
      succeed: loaded(2) loaded, finished, answered 1, write 2 of 2.0 seconds
      succeedUnchanged: loaded(1) loaded, finished, answered 1, write 1 of 2.0 seconds
      fail: error(Refusal()), finished, answered 1
      acceptEdit: is stale, clear
      answerEdit: is stale, clear
      mergeEdit: is stale, clear
      """,
      .appearing: """
      ask: joined
      askForPage: joined
      askAgain: began, loading, cancelled, begun whole with the cache
      askIfNeeded: joined
      cancel: unknown, cancelled
      endManager: unknown, cancelled
      supersede: cancelled
      set: loaded(1) published, cancelled, write 1 of 0.0 seconds
      logout: unknown, cancelled, clear
      invalidate: is stale
      findFresh: loaded(5) cached, finished
      findStale: loaded(5) cached
      succeed: loaded(2) loaded, finished, write 2 of 2.0 seconds
      succeedUnchanged: loaded(1) loaded, finished, write 1 of 2.0 seconds
      fail: error(Refusal()), finished
      acceptEdit: is stale, clear
      answerEdit: is stale, clear
      mergeEdit: is stale, clear
      """,
      .reloading: """
      ask: joined
      askForPage: next
      askAgain: began, loading(previous: 1) published, cancelled, released 1, begun whole
      askIfNeeded: joined
      leave: loaded(1) published, cancelled
      cancel: loaded(1) published, cancelled, released 1
      endManager: loaded(1) published, cancelled, released 1
      supersede: cancelled, released 1
      set: loaded(1) published, cancelled, released 1, write 1 of 0.0 seconds
      logout: unknown, cancelled, released 1, clear
      invalidate: is stale
      succeed: loaded(2) loaded, finished, answered 1, write 2 of 2.0 seconds
      succeedUnchanged: loaded(1) loaded, confirmed at 2.0 seconds, finished, answered 1, write 1 of 2.0 seconds
      fail: error(Refusal(), previous: 1) published, finished, answered 1
      edit: loading(previous: 101) edited
      acceptEdit: is stale, clear
      answerEdit: is stale, clear
      mergeEdit: is stale, clear
      """,
      .quietly: """
      ask: joined
      askForPage: next
      askAgain: began, cancelled, released 1, begun whole
      askIfNeeded: joined
      leave: cancelled
      cancel: cancelled, released 1
      endManager: cancelled, released 1
      supersede: cancelled, released 1
      set: loaded(1) published, cancelled, released 1, write 1 of 0.0 seconds
      logout: unknown, cancelled, released 1, clear
      invalidate: is stale
      succeed: loaded(2) loaded, finished, answered 1, write 2 of 2.0 seconds
      succeedUnchanged: confirmed at 2.0 seconds, finished, answered 1, write 1 of 2.0 seconds
      fail: error(Refusal(), previous: 1) published, finished, answered 1
      edit: loaded(101) edited
      acceptEdit: is stale, clear
      answerEdit: is stale, clear
      mergeEdit: is stale, clear
      """,
      .stale: """
      ask: began, loading(previous: 1) published, begun whole
      askForPage: began, loading(previous: 1) published, begun page
      askAgain: began, loading(previous: 1) published, begun whole
      askIfNeeded: began, loading(previous: 1) published, begun whole
      set: loaded(1) published, is valid, write 1 of 0.0 seconds
      logout: unknown, is valid, clear
      edit: loaded(101) edited
      acceptEdit: clear
      answerEdit: clear
      mergeEdit: clear
      """,
      .edited: """
      ask: began, loading(previous: 101) edited, begun whole
      askForPage: began, loading(previous: 101) edited, begun page
      askAgain: began, loading(previous: 101) edited, begun whole
      set: loaded(1) published, write 1 of 0.0 seconds
      logout: unknown, clear
      invalidate: is stale
      edit: loaded(201) edited
      refuseEdit: loaded(1) published
      acceptEdit: loaded(101) published, write 101 of 0.0 seconds with an edit
      answerEdit: loaded(7) loaded, write 7 of 3.0 seconds with an edit
      mergeEdit: loaded(8) published, write 8 of 0.0 seconds with an edit
      """,
      .editedWhileReloading: """
      ask: joined
      askForPage: next
      askAgain: began, loading(previous: 101) edited, cancelled, released 1, begun whole
      askIfNeeded: joined
      leave: loaded(101) edited, cancelled
      cancel: loaded(101) edited, cancelled, released 1
      endManager: loaded(101) edited, cancelled, released 1
      supersede: cancelled, released 1
      set: loaded(1) published, cancelled, released 1, write 1 of 0.0 seconds
      logout: unknown, cancelled, released 1, clear
      invalidate: is stale
      succeed: loaded(102) edited, finished, answered 1, write 2 of 2.0 seconds
      succeedUnchanged: loaded(101) edited, confirmed at 2.0 seconds, finished, answered 1, write 1 of 2.0 seconds
      fail: error(Refusal(), previous: 101) edited, finished, answered 1
      edit: loading(previous: 201) edited
      refuseEdit: loading(previous: 1) published
      acceptEdit: loading(previous: 101) published, write 101 of 0.0 seconds with an edit
      answerEdit: loading(previous: 7) loaded, write 7 of 3.0 seconds with an edit
      mergeEdit: loading(previous: 8) published, write 8 of 0.0 seconds with an edit
      """,
      .editedWithoutData: """
      ask: joined
      askForPage: joined
      askAgain: began, loading, cancelled, released 1, begun whole with the cache
      askIfNeeded: joined
      leave: unknown, cancelled
      cancel: unknown, cancelled, released 1
      endManager: unknown, cancelled, released 1
      supersede: cancelled, released 1
      set: loaded(1) published, cancelled, released 1, write 1 of 0.0 seconds
      logout: unknown, cancelled, released 1, clear
      invalidate: is stale
      findFresh: loaded(105) edited
      findStale: loaded(105) edited
      succeed: loaded(102) edited, finished, answered 1, write 2 of 2.0 seconds
      succeedUnchanged: loaded(101) edited, finished, answered 1, write 1 of 2.0 seconds
      fail: error(Refusal()), finished, answered 1
      acceptEdit: clear
      answerEdit: loading(previous: 7) loaded, write 7 of 3.0 seconds with an edit
      mergeEdit: clear
      """,
    ]
  }
#endif
