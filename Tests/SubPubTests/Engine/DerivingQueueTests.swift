#if DEBUG
  import Foundation
  import SubPubTesting
  import Testing

  @testable import SubPub

  @Suite("The queue of a derived publisher makes one transition at a time, in order")
  struct DerivingQueueTests {
    @Test(
      "one thread makes transitions, and the others leave theirs to it",
      arguments: [
        "receive 1": "waits",
        "receive 1; next 9; next 9": "waits, make 1, nothing",
        "receive 1; receive 2; receive 3; next 2; next 0": "waits, waits, waits, make 1 2, rest",
        "next 9; receive 1; receive 2; next 9; next 9": "nothing, makes, waits, make 1 2, nothing",
        "next 9; receive 1; next 9; receive 2; next 9; next 9": "nothing, makes, make 1, waits, make 2, nothing",
        "receive 1; next 0; rest; next 9": "waits, rest, makes, make 1",
        "receive 1; next 0; receive 2; rest; next 9": "waits, rest, makes, waits, make 1 2",
        "receive 1; next 0; receive 2; next 9; next 9; rest": "waits, rest, makes, make 1 2, nothing, waits",
        "rest": "waits",
        "receive 1; receive 2; all; receive 3; next 9": "waits, waits, all 1 2, waits, make 3",
      ])
    func model_5_22_events(sequence: String, expected: String) {
      var (state, notes) = (DerivedState<Int>(), [String]())
      for command in sequence.components(separatedBy: "; ") {
        let words = command.split(separator: " ")
        let number = words.count > 1 ? Int(words[1]) ?? 0 : 0
        switch words[0] {
        case "receive": notes.append(state.receive(number) ? "makes" : "waits")
        case "rest": notes.append(state.beginRest() ? "makes" : "waits")
        case "all": notes.append("all " + state.takeAll().map { "\($0)" }.joined(separator: " "))
        case "next":
          switch state.next(atMost: number) {
          case .make(let events): notes.append("make " + events.map { "\($0)" }.joined(separator: " "))
          case .nothing: notes.append("nothing")
          case .rest: notes.append("rest")
          }
        default: Issue.record("There is no command \(command)")
        }
      }
      #expect(notes.joined(separator: ", ") == expected, "\(sequence)")
    }

    @Test("whoever makes the rest leaves it to a thread that is making transitions")
    func required_5_22_rest() async throws {
      let (queue, made, gate, transition) = (DerivingQueue<Int>(), Journal<Int>(), Gate(), Event())
      defer { gate.open() }
      let make: @Sendable (Int) -> Void = { number in
        if number == 17 { gate.pass() }
        made.add(number)
        transition.happen()
      }
      // What the deriving thread makes at most, and one more.
      for number in 1...17 { queue.receive(number, make) }
      queue.makeWaiting(make)
      #expect(made.entries == Array(1...16))
      OwnThread.start { queue.receive(18, make) }
      // By that thread, or by the one that makes the rest after a millisecond.
      try await gate.waitUntilHeld()
      queue.receive(19, make)
      queue.makeRest(make)
      #expect(made.entries == Array(1...16))
      gate.open()
      try await transition.wait(count: 19)
      #expect(Set(made.entries) == Set(1...19))
      #expect(made.entries.prefix(17) == Array(1...17)[...])
    }
  }
#endif
