#if DEBUG
  import Foundation
  import SubPub
  import SubPubTesting
  import Testing

  @testable import SubPub

  @Suite("A lane decides in its turns what its tables say")
  struct LaneMachineTests {
    @Test(
      "states arrive, are served, and are handed back",
      arguments: [
        "join": "scheduled, pending 0",
        "join; join": "scheduled, pending 0",
        "join; publish; publish": "scheduled, pending 0 1 2",
        "join; publish; serve": "serving, at 0, rest 1",
        "join; serve; publish": "serving more, at 0, pending 1",
        "join; serve; publish; visit; next": "serving, at 1",
        "join; serve; visit; next": "idle",
        "serve": "idle",
        "join; serve; visit; next; publish": "scheduled, pending 1",
        "join; serve; visit; next; join": "scheduled, pending 0 from slot 1",
        "join; serve; visit; next; join; publish": "scheduled, pending 0 from slot 1 1",
        "join; publish; serve; handBack": "scheduled, pending 0 1",
        "join; join; publish; serve; visit; publish; handBack": "scheduled, pending 0 from slot 1 1 2",
        "join; join; publish; serve; visit; handBack; serve": "serving, at 0 from slot 1, rest 1",
        "join; serve; visit; handBack": "idle",
        "join; serve; join; handBack": "scheduled, pending 0",
        "follow; join": "scheduled, pending 0 from slot 1",
        "follow; join; serve": "serving, at 0 from slot 1",
        "follow; join; publish; serve; handBack": "scheduled, pending 0 from slot 1 1",
        "immediate; join; publish; follow; join; cancel 0":
          "serving more attention, here 1, pending 1, released",
      ])
    func model_1_02_2_01_arriving(sequence: String, expected: String) { check(sequence, expected) }

    @Test(
      "a lane keeps what its policy wants, and nothing for those who want the newest state alone",
      arguments: [
        "newest 2; join; publish; publish; publish": "scheduled, pending 2 3",
        "newest 2; join; publish; serve": "serving, at 0, pending 1",
        "newest 2; join; serve; publish; publish; publish": "serving more, at 0, pending 2 3",
        "newest 2; join; publish; serve; visit; publish; publish; next": "serving, at 2, pending 3",
        "newest 2; join; serve; publish; publish; handBack": "scheduled, pending 1 2",
        "newest 2; join; join; publish; serve; visit; handBack": "scheduled, pending 0 from slot 1 1",
        "newest 2; join; serve; begin; publish; publish; cancel 0": "serving more attention, at 0",
        "newest 2; join; publish; cancel 0": "scheduled, released",
        "ending 3; join; publish; publish": "scheduled, pending 0 1 2",
        "ending 3; join; publish; serve": "serving, at 0, rest 1",
        "latest; join; publish; publish": "scheduled, current",
        "latest; join; serve": "serving, at 0",
        "latest; join; publish; serve": "serving, at 1",
        "latest; join; serve; publish; publish": "serving more, at 0, current",
        "latest; join; serve; visit; publish; publish; next": "serving, at 2",
        "latest; join; serve; visit; next": "idle",
        "latest; join; serve; visit; join": "serving more, current from slot 1",
        "latest; join; serve; visit; join; publish": "serving more, current",
        "latest; join; serve; visit; next; join; serve": "serving, at 0 from slot 1",
        "latest; join; serve; visit; next; join; publish": "scheduled, current",
        "latest; join; serve; handBack": "scheduled, current",
        "latest; join; join; serve; visit; handBack": "scheduled, current from slot 1",
        "latest; join; join; serve; visit; join; handBack": "scheduled, current from slot 1",
        "latest; join; join; serve; visit; publish; handBack": "scheduled, current",
        "latest; join; serve; visit; handBack": "idle",
        "latest; join; cancel 0": "scheduled, released",
        "latest; join; join; publish; cancel 0": "scheduled, current, released",
        "latest; join; serve; visit; next; join; cancel 1": "scheduled, released",
        "latest; join; serve; begin; publish; cancel 0": "serving more attention, at 0",
        "latest; follow; publish; serve": "serving, at 1",
      ])
    func model_2_04_3_05_policies(sequence: String, expected: String) { check(sequence, expected) }

    /// Two subscriptions, the last of which is cancelled in its delivery of 0; those that join after four more states;
    /// and what is left of five.
    @Test(
      "what only a subscription had pending that is cancelled in its delivery goes with the round",
      arguments: [
        ("", "", "at 1, rest 2 3 4 5, false"),
        ("newest 3", "", "at 3, false, pending 4 5"),
        ("latest", "", "at 5, false"),
        ("latest", "join", "at 5, false"),
        ("newest 3", "join", "at 3, false, pending 4 5"),
      ])
    func model_3_05_cancelledInDelivery(policy: String, later: String, left: String) {
      let states = Array(repeating: "publish", count: 4)
      let commands =
        [policy, "join; join; serve; visit; begin"] + states + [later, "publish", "cancel 1", "end", "next"]
      check(commands.filter { !$0.isEmpty }.joined(separator: "; "), "serving, \(left)")
    }

    @Test("what waited only for a subscription that is cancelled in its delivery goes with the round")
    func model_3_05_cancelledAlone() {
      check(
        "join; serve; begin; publish; publish; join; publish; cancel 0; end; next", "serving, at 2, rest 3, false")
    }

    @Test(
      "subscriptions leave, and what only they had pending goes with them",
      arguments: [
        "join; cancel 0": "scheduled, released",
        "join; cancel 0; serve": "idle, released",
        "join; serve; begin; cancel 0": "serving attention, at 0",
        "join; serve; begin; cancel 0; end": "serving attention, at 0, false",
        "join; serve; visit; next; join; cancel 1": "scheduled, released",
        "join; serve; visit; next; join; cancel 0": "scheduled, pending 0 from slot 1, released",
        "join; publish; serve; visit; publish; join; cancel 0; handBack": "scheduled, pending 2, released",
        "join; join; serve; visit; handBack; publish; join; cancel 1": "scheduled, pending 1, released",
        "join; publish; close": "scheduled, released",
      ])
    func model_3_02_3_05_leaving(sequence: String, expected: String) { check(sequence, expected) }

    @Test(
      "the publishing thread serves at once, if nothing is in its way, and a lane that has to wait isn't woken",
      arguments: [
        "immediate; join": "serving, here 1",
        "immediate; join; rest; publish": "serving, here 1",
        "immediate; join; publish": "serving more, here 1, pending 1",
        "immediate; join; publish; rest": "serving more, here 1, pending 1",
        "immediate; foreign; join": "scheduled, pending 0",
        "waiting; join; publish": "idle, pending 0 1",
        "waiting; join; publish; countDown": "scheduled, pending 0 1",
        "waiting; join; cancel 0; countDown": "idle, released",
        "waiting; countDown; join": "scheduled, pending 0",
      ])
    func model_2_03_2_06_special(sequence: String, expected: String) { check(sequence, expected) }

    @Test(
      "a thread that delivers immediately takes 256 states for others, and then leaves the rest",
      arguments: [
        "immediate; join; publish 300; next": "serving, at 1, rest 2...300, here 1",
        "immediate; join; elsewhere; publish 256; next": "serving, at 1, rest 2...256, here 1",
        "immediate; join; elsewhere; publish 300; next": "serving, at 1, rest 2...256, here 1, pending 257...300",
        "immediate; join; elsewhere; publish 300; next; served; next": "scheduled, here 1, left, pending 257...300",
        "immediate; join; elsewhere; publish 300; next; served; next; serve": "serving, at 257, rest 258...300, here 1",
        "immediate; join; elsewhere; publish 300; next; served; next; serve; publish 300; served; next":
          "serving, at 301, rest 302...600, here 1",
        "immediate; join; elsewhere; publish 256; next; served; next; publish": "serving, here 1",
        "immediate; join; elsewhere; publish 256; next; served; publish; next": "scheduled, here 1, left, pending 257",
        "immediate; join; elsewhere; publish 256; next; served; here; publish 300; next":
          "serving, at 257, rest 258...556, here 1",
        "immediate; join; elsewhere; publish 300; cancel 0; next; join; here; publish 400; next":
          "serving, at 301, rest 302...700, here 1, released",
        "immediate latest; join; serve; elsewhere; publish 300; next": "serving, at 300",
      ])
    func model_2_03_others(sequence: String, expected: String) { check(sequence, expected) }

    @Test(
      "the serving thread knows of a newer state, and not of those that take its place before its next turn",
      arguments: [
        ("latest; join; serve; publish 3", 1),
        ("latest; join; publish 3", 3), ("latest; join; serve; visit; join; publish 3", 1),
        ("latest; join; serve; publish; handBack; publish 2", 3), ("newest 2; join; serve; publish 3", 3),
        ("immediate latest; join; serve; publish 3", 3),
      ])
    func model_2_04_superseding(sequence: String, newest: UInt64) {
      var bench = LaneBench()
      for command in sequence.components(separatedBy: "; ") { bench.perform(command) }
      #expect(bench.lane.newest == newest, "\(sequence)")
      bench.lane.removeEverything()
    }

    @Test(
      "a drain ends when everything of its moment is served, dropped, or cancelled",
      arguments: [
        "join; drain": "scheduled, pending 0",
        "join; serve; visit; next; drain": "idle, nothing to wait for",
        "join; drain; serve; visit; next": "idle, drained 1",
        "join; publish; drain; serve": "serving attention, at 0, rest 1",
        "join; serve; drain; visit; publish; next": "serving, at 1, drained 1",
        "join; drain; cancel 0": "scheduled, drained 1, released",
        "latest; join; drain; publish": "scheduled, current, drained 1",
        "latest; join; serve; publish; drain; publish": "serving more attention, at 0, current, drained 1",
        "newest 1; join; drain; publish": "scheduled, current, drained 1",
        "newest 2; join; drain; publish; publish": "scheduled, pending 1 2, drained 1",
        "join; publish; drain; join; serve; handBack": "scheduled, pending 0 1",
      ])
    func model_3_07_draining(sequence: String, expected: String) { check(sequence, expected) }

    @Test("a state that a drain takes for skipped can't be delivered any more by a thread that has looked before")
    func model_3_07_2_04_skipped() {
      var bench = LaneBench()
      for command in ["latest", "join", "serve", "drain"] { bench.perform(command) }
      let (gate, seen) = (bench.lane.inTurn.subscriptions[0].gate.reading, bench.lane.inTurn.subscriptions[0])
      bench.perform("publish")
      #expect(bench.description == "serving more attention, at 0, current, drained 1")
      let hasBegun = seen.gate.begin(0, from: gate)
      #expect((hasBegun, seen.gate.reading.next) == (false, 1))
      bench.lane.removeEverything()
    }

    private func check(_ sequence: String, _ expected: String) {
      var bench = LaneBench()
      for command in sequence.components(separatedBy: "; ") { bench.perform(command) }
      #expect(bench.description == expected, "\(sequence)")
      bench.lane.removeEverything()
    }
  }
#endif
