#if DEBUG
  import SubPub
  import Testing

  @testable import SubPub

  /// What operations one after the other lead to, in words: what is shown, whether it is stale, what the cache has, and
  /// how many loads have begun.
  @Suite("Sequences of loads, edits, invalidations, and cached values, as values")
  struct LoadMachineSequenceTests {
    typealias Rules = LoadMachine<Int>.Rules

    /// With a cache, checks what it has at the end, too.
    private func check(
      rules: Rules = Rules(staleAfter: .seconds(600)), hasCache: Bool = false, cached: Int? = nil,
      _ sequences: KeyValuePairs<String, String>, at location: SourceLocation = #_sourceLocation
    ) {
      for (sequence, expected) in sequences {
        var bench = LoadMachineSequence(rules, hasCache: hasCache, cached: cached)
        for command in sequence.split(separator: "; ") { bench.perform(command) }
        #expect(bench.summary == expected, "\(sequence)", sourceLocation: location)
      }
    }

    @Test("a load goes on as long as somebody is left who wants it, and whoever asks for no more than its result")
    func required_5_05_callers() {
      check([
        "ask; ask; leave 0; ask; leave 1": "loading, load 1",
        "ask; ask; leave 0; ask; leave 1; leave 2": "unknown, load 1",
        "ask; ask; leave 0; leave 1; ask": "loading, load 2",
        "need; ask; leave 0": "loading, load 1",
        "ask; need; leave 0": "loading, load 1",
        "need; restart; leave 0": "loading, load 2",
        "set 1; ask; leave 0; ask; leave 1; ask; late 1 3; succeed 7; late 2 4": "loaded(7) loaded, load 3",
        "set 1; ask; publish 5; leave 0": "loaded(5) published, load 1",
      ])
    }

    @Test("a cancel restores the state from before the first of several loads")
    func required_5_05_restarts() {
      check([
        "ask; restart; restart; leave 2": "unknown, load 3",
        "set 1; ask; restart; restart; leave 2": "loaded(1) published, load 3",
        "publish 1; failByHand; ask; restart; leave 1": "error(Refusal(), previous: 1) published, load 2",
        "set 1; loadingByHand; ask; restart; leave 1": "loading(previous: 1) published, load 2",
        "set 1; ask; fail; ask; restart; cancel": "error(Refusal(), previous: 1) published, load 3",
        // With its age, as it was.
        "set 1; wait 300; ask; restart; wait 299; leave 1": "loaded(1) published, load 2",
        "set 1; wait 300; ask; restart; wait 299; leave 1; wait 1": "loaded(1) published, stale, load 2",
        "ask; found 1 500; wait 99; leave 0": "loaded(1) cached, load 1",
        "ask; found 1 500; wait 99; leave 0; wait 1": "loaded(1) cached, stale, load 1",
      ])
    }

    @Test("an error is left alone until it is old enough, unless somebody has published or invalidated it")
    func required_5_13_errors() {
      let rules = Rules(errorStaleAfter: .seconds(10))
      check(
        rules: rules,
        [
          "need; fail; wait 9; need": "error(Refusal()), load 1",
          "need; fail; wait 10; need": "loading, load 2",
          "need; fail; ask; leave 0; need": "error(Refusal()), load 2",
          "need; fail; ask; restart; leave 1; wait 9; need": "error(Refusal()), load 3",
          "need; fail; ask; restart; invalidate; leave 1; need": "loading, load 4",
          "need; fail; invalidate; need": "loading, load 2",
          "ask; invalidate; fail; need; fail; need": "error(Refusal()), load 2",
          "need; succeed 1; failByHand; need": "loading(previous: 1) loaded, load 2",
          "loadingByHand; need; need": "loading, load 1",
        ])
      check(["need; fail; need": "loading, load 2"])
    }

    @Test("whatever the state is, data is loaded again if the active load won't make it fresh")
    func required_5_13_5_20_outdatedLoad() {
      check(
        rules: Rules(errorStaleAfter: .seconds(10), isQuiet: true),
        [
          "set 5; ask; fail; ask; edit 1; accept 0; need": "error(Refusal(), previous: 51) published, load 3",
          "set 5; ask; fail; ask; edit 1; accept 0; need; late 2 5; succeed 8": "loaded(8) loaded, load 3",
          "set 5; ask; fail; ask; invalidate; need": "error(Refusal(), previous: 5) published, stale, load 3",
          "set 5; ask; fail; ask; need": "error(Refusal(), previous: 5) published, load 2",
        ])
    }

    @Test("an error is no excuse for data that an edit has made stale")
    func required_5_13_5_20_staleAfterEdit() {
      check(
        rules: Rules(errorStaleAfter: .seconds(10)),
        [
          "set 5; edit 1; ask; succeed 51; ask; fail; accept 0; need": "loading(previous: 511) loaded, stale, load 3",
          "set 5; edit 1; publish 6; ask; fail; accept 0; need": "loading(previous: 6) published, stale, load 2",
          "set 5; edit 1; publish 6; ask; fail; ask; accept 0; leave 1; need":
            "loading(previous: 6) published, stale, load 3",
          "set 5; edit 1; ask; fail; accept 0; need": "error(Refusal(), previous: 51) published, load 1",
        ])
    }

    @Test("at a finished publisher only the cache changes: a logout clears it, and so does an edit that it lacks")
    func required_3_09_5_10_finished() {
      check(
        hasCache: true,
        [
          "set 5; finish; logout": "loaded(5) published, cache empty",
          "set 5; finish; set 6": "loaded(5) published, cache 5",
          "set 5; finish; edit 1; accept 0; ask; need; restart; succeed 7": "loaded(5) published, stale, cache empty",
          "set 5; finish; ask; need; restart; succeed 7": "loaded(5) published, cache 5",
          "set 5; edit 1; finish; refuse 0": "loaded(51) edited, cache 5",
          "set 5; edit 1; finish; answer 0 7": "loaded(51) edited, stale, cache empty",
          "ask; finish; succeed 6": "loading, cache empty, load 1",
          "set 5; finish; invalidate": "loaded(5) published, stale, cache 5",
        ])
    }

    @Test("what was invalidated is stale until something newer has come than was asked for before")
    func required_5_15_5_11_invalidated() {
      check(
        rules: Rules(staleAfter: .seconds(60)), hasCache: true, cached: 1,
        [
          "ask; invalidate; succeed 1": "loaded(1) loaded, stale, cache 1, load 1",
          "ask; invalidate; succeed 1; need; invalidate; need; succeed 3": "loaded(3) loaded, cache 3, load 3",
          "need; invalidate; found 1": "loading(previous: 1) cached, stale, cache 1, load 1",
          "invalidate; need; found 1": "loading(previous: 1) cached, stale, cache 1, load 1",
          "need; invalidate; found 1; succeed 7": "loaded(7) loaded, stale, cache 7, load 1",
          "invalidate; need; found 1; succeed 7": "loaded(7) loaded, cache 7, load 1",
          "invalidate; ask; found 1; leave 0": "loaded(1) cached, stale, cache 1, load 1",
          "invalidate; ask; found 1; leave 0; need": "loading(previous: 1) cached, stale, cache 1, load 2",
          "invalidate; ask; need; leave 0; found 1": "loading(previous: 1) cached, stale, cache 1, load 1",
          "invalidate; reset; need; found 1": "loading(previous: 1) cached, stale, cache 1, load 1",
          "invalidate; need; found 1; succeed 2; reset; need; found 2": "loaded(2) cached, cache 2, load 2",
          "set 5; invalidate; ask; equal 5; reset; need; found 5": "loaded(5) cached, cache 5, load 2",
          "set 5; ask; invalidate; equal 5; reset; need; found 5":
            "loading(previous: 5) cached, stale, cache 5, load 2",
          // What was stale when it was written isn't fresh as a cached value.
          "set 5; ask; invalidate; succeed 6; reset; need; found 6":
            "loading(previous: 6) cached, stale, cache 6, load 2",
          "set 5; edit 1; invalidate; answer 0 7; reset; need; found 7":
            "loading(previous: 7) cached, stale, cache 7, load 1",
          "set 5; edit 1; edit 2; answer 1 7; answer 0 8; reset; need; found 8":
            "loading(previous: 8) cached, stale, cache 8, load 1",
          "invalidate; set 3; reset; need; found 3": "loaded(3) cached, cache 3, load 1",
          "set 1; wait 55; invalidate; value 100": "loading(previous: 1) published, stale, cache 1, load 1",
        ])
    }

    @Test("a cached value ends the load only if it is young enough for everybody who has asked and is still there")
    func required_5_11_5_05_accepted() {
      check(
        rules: Rules(staleAfter: .seconds(60)), hasCache: true, cached: 1,
        [
          "need; found 1 59": "loaded(1) cached, cache 1, load 1",
          "need; found 1 60": "loading(previous: 1) cached, stale, cache 1, load 1",
          "need; ask; found 1": "loading(previous: 1) cached, cache 1, load 1",
          "need; ask; leave 0; found 1": "loaded(1) cached, cache 1, load 1",
          "value 40; found 1 50": "loading(previous: 1) cached, cache 1, load 1",
          "value 60; found 1 50": "loaded(1) cached, cache 1, load 1",
          "value 60; value 40; found 1 50": "loading(previous: 1) cached, cache 1, load 1",
          "value 60; value 40; leave 1; found 1 50": "loaded(1) cached, cache 1, load 1",
        ])
      // What a quiet load shows is the cached value, once.
      check(
        rules: Rules(staleAfter: .seconds(60), isQuiet: true), hasCache: true, cached: 1,
        ["need; found 1 60": "loaded(1) cached, stale, cache 1, load 1"])
    }

    @Test("a load that ends while an edit is sent changes what is below the edit, and is dropped if it may lack one")
    func required_5_20_loads() {
      check([
        "set 5; ask; edit 1; succeed 6": "loaded(61) edited, load 1",
        "set 5; ask; edit 1; succeed 6; refuse 0": "loaded(6) loaded, load 1",
        "set 5; edit 1; ask; answer 0 7; succeed 5": "loaded(7) loaded, stale, load 1",
        "set 5; edit 1; ask; accept 0; succeed 5": "loaded(51) published, stale, load 1",
        "set 5; edit 1; ask; accept 0; succeed 5; need; succeed 8": "loaded(8) loaded, load 2",
        "ask; edit 1; accept 0; succeed 6": "loaded(6) loaded, stale, load 1",
        "set 5; edit 1; ask; succeed 51; answer 0 51": "loaded(51) loaded, stale, load 1",
        "set 5; edit 1; ask; succeed 51; accept 0": "loaded(511) loaded, stale, load 1",
        "set 5; edit 1; ask; equal 5": "loaded(51) edited, load 1",
        "set 5; edit 1; ask; answer 0 7; fail": "error(Refusal(), previous: 7) loaded, stale, load 1",
        "set 5; edit 1; ask; equal 5; accept 0": "loaded(51) loaded, stale, load 1",
        "set 5; edit 1; ask; answer 0 7; ask": "loading(previous: 7) loaded, load 2",
        "set 5; edit 1; loadingByHand; ask; accept 0; succeed 5": "loaded(5) loaded, stale, load 1",
        // The data has the age of the answer, whatever a load says that began before.
        "set 5; wait 30; ask; equal 5; edit 1; ask; answer 0 7; wait 500; succeed 5; wait 99":
          "loaded(7) loaded, stale, load 2",
        "set 5; wait 600; edit 1; ask; equal 5": "loaded(51) edited, load 1",
        "set 5; wait 600; edit 1; ask; equal 5; refuse 0": "loaded(5) loaded, load 1",
      ])
      check(
        rules: Rules(isQuiet: true),
        ["set 5; edit 1; ask; answer 0 7; need; late 1 5; succeed 8": "loaded(8) loaded, load 2"])
    }

    @Test("data is stale after answers that overlap, or that were asked for before something else")
    func required_5_20_overlapping() {
      check([
        "set 5; edit 1; edit 2; answer 1 7": "loaded(71) edited, stale",
        "set 5; edit 1; edit 2; answer 1 7; answer 0 8": "loaded(8) loaded, stale",
        "set 5; edit 1; edit 2; answer 1 7; answer 0 8; edit 3; answer 2 9": "loaded(9) loaded",
        "set 5; edit 1; invalidate; answer 0 7": "loaded(7) loaded, stale",
        "set 5; edit 1; edit 2; accept 1; answer 0 7": "loaded(7) loaded, stale",
        "set 5; invalidate; edit 1; refuse 0": "loaded(5) published, stale",
        "set 5; invalidate; edit 1; accept 0": "loaded(51) published, stale",
        "set 5; invalidate; edit 1; answer 0 7": "loaded(7) loaded",
        "set 5; wait 400; edit 1; accept 0; wait 200": "loaded(51) published, stale",
        "set 5; wait 400; edit 1; answer 0 7; wait 200": "loaded(7) loaded",
      ])
    }

    @Test("an edit that was dropped and is confirmed later makes stale what may lack it, also in the cache")
    func required_5_20_5_10_dropped() {
      check(
        hasCache: true,
        [
          "set 5; edit 1; reset; ask; succeed 5; accept 0": "loaded(5) loaded, stale, cache empty, load 1",
          "set 5; edit 1; publish 6; answer 0 51": "loaded(6) published, stale, cache empty",
          "set 5; edit 1; edit 2; logout; answer 0 7; accept 1": "unknown, cache empty",
          "set 5; edit 1; publish 6; refuse 0": "loaded(6) published, cache 5",
          "set 5; edit 1; logout; ask; succeed 5; refuse 0": "loaded(5) loaded, cache 5, load 1",
          "set 5; edit 1; reset; need; found 5; accept 0": "loaded(5) cached, stale, cache empty, load 1",
          "set 5; edit 1; reset; need; accept 0; found 5": "loading(previous: 5) cached, stale, cache empty, load 1",
          "set 5; invalidate; publish 6; edit 1; accept 0; reset; need; found 61":
            "loaded(61) cached, cache 61, load 1",
          "edit 1; accept 0; need; succeed 51": "loaded(51) loaded, cache 51, load 1",
        ])
    }

    @Test("what is merged takes the place of its edit, with the age of the data, and under the edits that are pending")
    func required_5_23_merged() {
      check(
        hasCache: true,
        [
          "set 5; edit 1; merge 0 7": "loaded(57) published, cache 57",
          "set 5; edit 1; edit 2; merge 0 7": "loaded(572) edited, cache 57",
          "set 5; edit 1; edit 2; merge 1 7": "loaded(571) edited, cache 57",
          "set 5; edit 1; edit 2; merge 1 7; refuse 0": "loaded(57) published, cache 57",
          "set 5; edit 1; edit 2; merge 1 7; merge 0 8": "loaded(578) published, stale, cache 578",
          "set 5; wait 400; edit 1; merge 0 7; wait 200": "loaded(57) published, stale, cache 57",
          "set 5; invalidate; edit 1; merge 0 7": "loaded(57) published, stale, cache 57",
          "set 5; ask; edit 1; merge 0 7; succeed 6": "loaded(57) published, stale, cache 57, load 1",
          "set 5; edit 1; ask; succeed 6; merge 0 7": "loaded(67) loaded, stale, cache 67, load 1",
          "set 5; edit 1; ask; fail; merge 0 7": "error(Refusal(), previous: 57) published, cache 57, load 1",
          "edit 1; merge 0 7": "unknown, cache empty",
          "edit 1; ask; merge 0 7; succeed 6": "loaded(6) loaded, stale, cache 6, load 1",
          "set 5; edit 1; logout; merge 0 7": "unknown, cache empty",
          "set 5; edit 1; set 6; merge 0 7": "loaded(6) published, stale, cache empty",
        ])
    }

    @Test("what is pushed goes below the edits and into the cache, and what was asked for before may lack it")
    func required_5_26_pushed() {
      check(
        hasCache: true,
        [
          "push 7": "unknown, cache empty",
          "set 5; push 7": "loaded(57) published, cache 57",
          "set 5; wait 400; push 7; wait 200": "loaded(57) published, stale, cache 57",
          "set 5; invalidate; push 7": "loaded(57) published, stale, cache 57",
          "set 5; invalidate; push 7; reset; need; found 57":
            "loading(previous: 57) cached, stale, cache 57, load 1",
          "set 5; ask; fail; push 7": "error(Refusal(), previous: 57) published, cache 57, load 1",
          "set 5; edit 1; push 7": "loaded(571) edited, cache 57",
          "set 5; edit 1; push 7; refuse 0": "loaded(57) published, cache 57",
          "set 5; edit 1; push 7; accept 0": "loaded(571) published, cache 571",
          "set 5; edit 1; push 7; merge 0 8": "loaded(578) published, cache 578",
          "set 5; edit 1; push 7; answer 0 8": "loaded(8) loaded, stale, cache 8",
          "set 5; ask; push 7": "loading(previous: 57) published, cache 57, load 1",
          "set 5; ask; push 7; succeed 6": "loaded(6) loaded, stale, cache 6, load 1",
          "set 5; ask; push 7; ask; succeed 6; ask; succeed 8": "loaded(8) loaded, cache 8, load 2",
          "set 5; ask; push 7; cancel": "loaded(57) published, cache 57, load 1",
          // The present data has what was pushed, so a failure makes it no older.
          "set 5; ask; push 7; fail": "error(Refusal(), previous: 57) published, cache 57, load 1",
          "ask; push 7; succeed 6": "loaded(6) loaded, stale, cache 6, load 1",
          "edit 1; push 7": "unknown, cache empty",
          "set 5; finish; push 7": "loaded(5) published, cache 5",
        ])
      check(
        hasCache: true, cached: 4,
        [
          "push 7; need; found 4": "loading(previous: 4) cached, stale, cache 4, load 1",
          "need; push 7; found 4": "loading(previous: 4) cached, stale, cache 4, load 1",
          "need; found 4; push 7": "loaded(47) cached, cache 47, load 1",
        ])
    }

    @Test("who asks for the value within the time of an error gets the error, unless something has made it outdated")
    func required_5_13_values() {
      check(
        rules: Rules(staleAfter: .seconds(600), errorStaleAfter: .seconds(10)),
        [
          "ask; fail; wait 9; value 5": "error(Refusal()), load 1",
          "ask; fail; wait 10; value 5": "loading, load 2",
          "ask; fail; invalidate; value 5": "loading, load 2",
          "failByHand; value 5": "loading, load 1",
          "set 5; ask; fail; wait 3; value 5": "error(Refusal(), previous: 5) published, load 1",
          "set 5; wait 3; ask; fail; wait 3; value 5": "error(Refusal(), previous: 5) published, load 1",
          "set 5; wait 3; ask; fail; wait 10; value 5": "loading(previous: 5) published, load 2",
        ])
      check(
        rules: Rules(errorStaleAfter: .seconds(10), isQuiet: true),
        [
          "set 5; wait 9; ask; fail; ask; value 5; succeed 6": "loaded(6) loaded, load 2",
          // It waits for the load, and not for the error to be old enough.
          "set 5; wait 9; ask; fail; ask; value 5; leave 1; fail": "error(Refusal(), previous: 5) published, load 2",
          "set 5; wait 9; ask; fail; ask; value 5; leave 1; leave 2": "error(Refusal(), previous: 5) published, load 2",
        ])
    }

    @Test("edits are sent one at a time, in order; what was dropped isn't sent, and what is on its way is waited for")
    func required_5_24_turns() {
      check(
        rules: Rules(staleAfter: .seconds(600), sendsOneAtATime: true),
        [
          "set 5; edit 1; send 0; edit 2; send 1": "loaded(512) edited, now 0, later 1",
          "set 5; edit 1; edit 2; send 1; send 0": "loaded(512) edited, later 1, now 0",
          "set 5; edit 1; edit 2; send 0; answer 0 7; send 1": "loaded(72) edited, now 0, now 1",
          "set 5; edit 1; edit 2; send 0; send 1; answer 0 7": "loaded(72) edited, now 0, later 1, released 1",
          "set 5; edit 1; edit 2; send 0; send 1; refuse 0; send 1; answer 1 8":
            "loaded(8) loaded, now 0, later 1, now 1, released 1",
          "set 5; edit 1; edit 2; edit 3; send 2; send 1; send 0; refuse 0":
            "loaded(523) edited, later 2, later 1, now 0, released 1",
          // No edit is on its way while another is: nothing overlaps, but a load in between still does.
          "set 5; edit 1; edit 2; send 0; answer 0 7; send 1; answer 1 8": "loaded(8) loaded, now 0, now 1",
          "set 5; edit 1; edit 2; send 0; accept 0; send 1; merge 1 8": "loaded(518) published, now 0, now 1",
          "set 5; edit 1; edit 2; send 0; answer 0 7; send 1; ask; succeed 9; answer 1 8":
            "loaded(8) loaded, stale, now 0, now 1, load 1",
          "set 5; edit 1; edit 2; send 0; send 1; logout; send 1": "unknown, now 0, later 1, never 1, released 1",
          "set 5; edit 1; logout; send 0; set 6; edit 2; send 1": "loaded(62) edited, never 0, now 1",
          "set 5; edit 1; send 0; set 6; edit 2; send 1; edit 3; send 2":
            "loaded(623) edited, now 0, later 1, later 2",
          "set 5; edit 1; send 0; edit 2; set 6; edit 3; send 2; send 1":
            "loaded(63) edited, now 0, later 2, never 1",
          "set 5; edit 1; send 0; set 6; edit 2; send 1; answer 0 7; send 1":
            "loaded(62) edited, stale, now 0, later 1, now 1, released 1",
          "set 5; edit 1; send 0; publish 6; edit 2; send 1; refuse 0; send 1; accept 1":
            "loaded(62) published, now 0, later 1, now 1, released 1",
        ])
    }

    @Test("a cached value is shown with the pending edits, and never after an answer")
    func required_5_20_5_11_cached() {
      check(
        rules: Rules(staleAfter: .seconds(600)), hasCache: true, cached: 4,
        [
          "edit 1; accept 0": "unknown, cache empty",
          "edit 1; ask; found 4": "loading(previous: 41) edited, cache 4, load 1",
          "edit 1; ask; found 4; cancel": "loaded(41) edited, cache 4, load 1",
          "edit 1; ask; found 4; cancel; refuse 0": "loaded(4) cached, cache 4, load 1",
          "edit 1; ask; answer 0 7; found 4": "loading(previous: 7) loaded, cache 7, load 1",
          "edit 1; ask; answer 0 7; found 4; succeed 3": "loaded(7) loaded, stale, cache 7, load 1",
          "need; edit 1; accept 0; found 4": "loading(previous: 4) cached, stale, cache empty, load 1",
          "need; edit 1; accept 0; found 4; succeed 6": "loaded(6) loaded, stale, cache 6, load 1",
          "need; edit 1; accept 0; set 7; found 4": "loaded(7) published, cache 7, load 1",
          "set 5; edit 1; edit 2": "loaded(512) edited, cache 5",
          "set 5; edit 1; edit 2; refuse 0; accept 1": "loaded(52) published, cache 52",
          "set 5; edit 1; edit 2; accept 1; ask; succeed 6": "loaded(61) edited, cache 6, load 1",
          "set 5; invalidate; edit 1; answer 0 7; reset; need; found 7": "loaded(7) cached, cache 7, load 1",
        ])
    }
  }
#endif
