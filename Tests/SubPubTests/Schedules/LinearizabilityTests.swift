import Testing

@Suite(
  "The check of linearizability accepts exactly what a register with versions could have done", .hangLimit)
struct LinearizabilityTests {
  typealias Operation = Linearizability<Register>.Operation

  /// An operation of client 1, unless said otherwise, from one step to another.
  private func operation(_ steps: ClosedRange<Int>, by client: Int = 1, _ effect: Register.Effect) -> Operation {
    Operation(client: client, invocation: steps.lowerBound, response: steps.upperBound, effect: effect)
  }

  private func holds(_ operations: Operation..., known: [UInt64: Content] = [:]) -> Bool {
    Linearizability.holds(operations, known: known, from: Register(members: 4))
  }

  private func set(_ number: Int) -> Register.Effect { .write { _ in .loaded(number) } }
  private func read(_ version: UInt64?, _ number: Int) -> Register.Effect { .read(version: version, .loaded(number)) }
  private func update(_ from: Content, _ number: Int, _ version: UInt64) -> Register.Effect {
    .update(from: from, to: .loaded(number), version: version)
  }

  @Test("concurrent operations in the one order that explains what was read")
  func concurrent() {
    let (first, second) = (operation(0...9, set(1)), operation(0...9, by: 2, set(2)))
    let early = operation(3...4, by: 3, read(1, 2))
    #expect(holds(first, second, operation(10...11, read(2, 1))))
    #expect(holds(first, second, operation(10...11, read(2, 2))))
    #expect(holds(first, second, early, operation(5...6, by: 3, read(2, 1))))
    #expect(!holds(first, second, early, operation(5...6, by: 3, read(2, 2))))
    #expect(holds(first, second, known: [1: .loaded(2), 2: .loaded(1)]))
    #expect(!holds(first, second, known: [1: .loaded(2), 2: .loaded(2)]))
  }

  @Test("a stale read is found, a read of the future, a lost write, and two writes with one version")
  func register() {
    let write = operation(0...3, set(1))
    #expect(!holds(operation(0...1, set(1)), operation(2...3, by: 2, .read(version: 0, .unknown))))
    // The read may precede a write that hasn't returned.
    #expect(holds(write, operation(2...4, by: 2, .read(version: 0, .unknown))))
    #expect(!holds(write, operation(2...4, by: 2, read(0, 1))))
    #expect(!holds(operation(0...1, set(1)), operation(2...3, .read(version: nil, .unknown))))
    #expect(!holds(operation(0...1, by: 2, read(1, 1)), operation(2...3, set(1))))
    #expect(!holds(operation(0...5, set(1)), operation(1...4, by: 2, set(2)), operation(6...7, read(1, 2))))
    let first = operation(0...5, update(.unknown, 1, 1))
    #expect(!holds(first, operation(1...4, by: 2, update(.unknown, 2, 2))))
    #expect(holds(first, operation(1...4, by: 2, update(.loaded(1), 2, 2))))
    #expect(!holds(first, operation(1...4, by: 2, update(.unknown, 2, 1))))
  }

  @Test("a replay from the past is found, and one from the future")
  func replay() {
    let (first, second) = (operation(0...1, set(1)), operation(2...3, set(2)))
    #expect(holds(first, second, operation(4...5, by: 2, .join(member: 0, replay: 2))))
    #expect(!holds(first, second, operation(4...5, by: 2, .join(member: 0, replay: 1))))
    #expect(!holds(first, second, operation(4...5, by: 2, .join(member: 0, replay: 3))))
    #expect(holds(first, second, operation(1...2, by: 2, .join(member: 0, replay: 1))))
  }

  @Test("a state that a buffer didn't receive is found, and one too many")
  func putIn() {
    let (first, second) = (operation(0...1, set(1)), operation(4...5, set(2)))
    let join = operation(2...3, .join(member: 0, replay: 1))
    func leave(_ steps: ClosedRange<Int>, _ received: Int) -> Operation {
      operation(steps, by: 2, .leave(member: 0, received: received))
    }
    #expect(holds(first, join, second, leave(6...7, 2)))
    #expect(!holds(first, join, second, leave(6...7, 1)))
    #expect(!holds(first, join, second, leave(6...7, 3)))
    #expect(holds(first, join, second, leave(4...7, 1)))
    #expect(!holds(leave(0...1, 1)))
  }

  @Test("operations of one client don't count as overlapping")
  func overlap() {
    let first = operation(0...5, set(1))
    #expect(Linearizability.overlap([first, operation(5...6, by: 2, set(2))]))
    #expect(!Linearizability.overlap([first, operation(6...7, by: 2, set(2))]))
    #expect(!Linearizability.overlap([first, operation(2...3, set(2))]))
    #expect(Linearizability.overlap([first, operation(2...3, set(2)), operation(4...5, by: 2, set(3))]))
  }
}
