#if DEBUG
  import Foundation
  import SubPubTesting
  import Testing

  @testable import SubPub

  @Suite("The queue of a derived publisher makes one transition at a time, in order")
  struct DerivingQueueTests {
    @Test(
      "one thread makes transitions, for others up to a limit, and the others leave theirs to it",
      arguments: [
        "other 1; next; next": "waits, make 1, nothing",
        "other 16; next; next": "waits, make 1...16, nothing",
        "other 17; next; next": "waits, make 1...16, rest",
        "other 17; next; next; rest; next; next": "waits, make 1...16, rest, makes, make 17, nothing",
        "other 17; next; next; receive 1; rest; next": "waits, make 1...16, rest, makes, waits, make 17 18",
        "other 17; next; next; receive 1; next; next; rest":
          "waits, make 1...16, rest, makes, make 17 18, nothing, waits",
        "next; receive 1; other 1; next; next": "nothing, makes, waits, make 1 2, nothing",
        "next; receive 1; next; other 1; next; next": "nothing, makes, make 1, waits, make 2, nothing",
        "next; receive 1; receive 300; next; next": "nothing, makes, waits, make 1...301, nothing",
        "next; receive 1; other 300; next; next": "nothing, makes, waits, make 1...256, rest",
        "next; receive 1; next; other 256; next; other 1; next":
          "nothing, makes, make 1, waits, make 2...257, waits, rest",
        "next; receive 1; other 300; next; next; rest; other 300; next; next":
          "nothing, makes, waits, make 1...256, rest, makes, waits, make 257...601, nothing",
        "rest": "waits",
        "other 2; all; other 1; next": "waits, all 1 2, waits, make 3",
      ])
    func model_5_22_2_03_events(sequence: String, expected: String) {
      let threads = (1...3).map { ThreadToken(bits: $0) }
      var (state, notes, last) = (DerivedState<Int>(on: threads[0]), [String](), 0)
      func text(_ events: [Int]) -> String {
        guard events.count > 3, let first = events.first, let last = events.last else {
          return events.map { "\($0)" }.joined(separator: " ")
        }
        return "\(first)...\(last)"
      }
      for command in sequence.components(separatedBy: "; ") {
        let words = command.split(separator: " ")
        switch words[0] {
        case "receive", "other":
          var isMaker = false
          for _ in 0..<(Int(words[1]) ?? 0) {
            last += 1
            isMaker = state.receive(last, on: threads[words[0] == "other" ? 1 : 0])
          }
          notes.append(isMaker ? "makes" : "waits")
        case "rest": notes.append(state.beginLeft(on: threads[2]) ? "makes" : "waits")
        case "all": notes.append("all " + text(state.takeAll()))
        case "next":
          switch state.next() {
          case .make(let events): notes.append("make " + text(events))
          case .nothing: notes.append("nothing")
          case .leaveToOthers: notes.append("rest")
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
      queue.begin(make)
      #expect(made.entries == Array(1...16))
      OwnThread.start { queue.receive(18, make) }
      // By that thread, or by the one that makes the rest after a millisecond.
      try await gate.waitUntilHeld()
      queue.receive(19, make)
      queue.makeLeft()
      #expect(made.entries == Array(1...16))
      gate.open()
      try await transition.wait(count: 19)
      #expect(Set(made.entries) == Set(1...19))
      #expect(made.entries.prefix(17) == Array(1...17)[...])
    }

    @Test("what a derived publisher has left to another thread doesn't keep it")
    func required_5_22_3_06_rest() {
      var queue: DerivingQueue<Int>? = DerivingQueue()
      weak let left = queue
      let rest = queue?.later
      queue = nil
      #expect(left == nil)
      rest?()
    }
  }
#endif
