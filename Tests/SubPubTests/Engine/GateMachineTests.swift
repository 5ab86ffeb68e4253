#if DEBUG
  import SubPub
  import SubPubTesting
  import Testing

  @testable import SubPub

  @Suite("The gate of a subscription and the queue of a lane do what their tables say")
  struct GateMachineTests {
    /// A gate for version 5 and later ones.
    enum Phase: String, CaseIterable, CustomTestStringConvertible {
      case open, delivering, closed, closedWhileDelivering
      var testDescription: String { rawValue }
    }

    static let table: [Phase: [String]] = [
      .open: [
        "begin 5: true, next 6, under way", "begin late: true, next 8, under way", "pass 5: next 6",
        "close: was next 5, next 5, closed at 9", "begin after another: false, next 6, under way",
        "skip to 7: true, next 7", "begin after a skip: false, next 7",
        "skip after a beginning: false, next 6, under way",
      ],
      .delivering: [
        "end: true, next 6", "retract: true, next 5", "close: was next 6, under way, next 6, under way, closed at 9",
      ],
      .closed: ["begin 5: false, next 5, closed at 9", "close: nil, next 5, closed at 9"],
      .closedWhileDelivering: [
        "end: false, next 6, closed at 9", "retract: false, next 5, closed at 9",
        "close: nil, next 6, under way, closed at 9",
      ],
    ]

    @Test("every operation in every phase", arguments: Phase.allCases)
    func model_2_02_3_02_gate(phase: Phase) {
      for line in Self.table[phase] ?? [] {
        let gate = DeliveryGate(next: 5, SchedulingPoint())
        let reading = gate.reading
        if phase == .delivering || phase == .closedWhileDelivering { _ = gate.begin(5, from: reading) }
        if phase == .closed || phase == .closedWhileDelivering { _ = gate.close(at: 9, as: .cancelled) }
        let operation = line.prefix { $0 != ":" }
        let result =
          switch operation {
          case "begin 5": "\(gate.begin(5, from: gate.reading)), "
          case "begin late": "\(gate.begin(7, from: gate.reading)), "
          case "begin after another": "\(gate.begin(5, from: reading) && gate.begin(5, from: reading)), "
          case "skip to 7": "\(gate.skip(to: 7, from: reading)), "
          case "begin after a skip": "\(gate.skip(to: 7, from: reading) && gate.begin(5, from: reading)), "
          case "skip after a beginning": "\(gate.begin(5, from: reading) && gate.skip(to: 7, from: reading)), "
          case "end": "\(gate.end(5)), "
          case "retract": "\(gate.retract(5, to: reading)), "
          case "close": (gate.close(at: 9, as: .cancelled).map { "was \(Self.text($0))" } ?? "nil") + ", "
          default: ""
          }
        if operation == "pass 5" { gate.pass(5) }
        let closed = gate.closedAt.map { ", closed at \($0)" } ?? ""
        let (text, isOpen) = (Self.text(gate.reading), gate.isOpen)
        #expect("\(operation): \(result)\(text)\(closed)" == line)
        #expect(isOpen == closed.isEmpty)
      }
    }

    private static func text(_ reading: DeliveryGate.Reading) -> String {
      "next \(reading.next)" + (reading.isUnderWay ? ", under way" : "")
    }

    @Test("a queue holds what an array would, whatever is done to it", arguments: 1...20)
    func model_1_02_queue(seed: UInt64) {
      var (random, version) = (SeededGenerator(seed: seed), UInt64(0))
      var (queue, other) = ((states: StateQueue(), versions: [UInt64]()), (states: StateQueue(), versions: [UInt64]()))
      func next() -> QueuedState {
        version += 1
        return QueuedState(
          Publication<Int>(.unknown, source: PublisherID(label: nil), provenance: nil), version: version)
      }
      for step in 0..<2_000 {
        switch random.draw(8) {
        case 0...2:
          let state = next()
          queue.states.append(state)
          queue.versions.append(state.version)
        case 3:
          #expect(queue.states.popFirst()?.version == queue.versions.first, "step \(step)")
          queue.versions = Array(queue.versions.dropFirst())
        case 4:
          let state = next()
          queue.states.prepend(state, from: step)
          queue.versions.insert(state.version, at: 0)
          #expect(queue.states.firstSlot == step)
        case 5, 6:
          queue.states.prepend(&other.states)
          (queue.versions, other.versions) = (other.versions + queue.versions, [])
        default: swap(&queue, &other)
        }
        #expect(queue.states.count == queue.versions.count && queue.states.isEmpty == queue.versions.isEmpty)
        #expect(queue.states.firstVersion == queue.versions.first && queue.states.last?.version == queue.versions.last)
      }
    }
  }
#endif
