import Testing

@Suite("The check of linearizability accepts exactly what a register with versions could have done")
struct LinearizabilityTests {
  /// An operation of client 1, unless said otherwise, from one step to another.
  private func operation(_ steps: ClosedRange<Int>, by client: Int = 1, _ effect: ClientCall.Effect) -> ClientCall {
    ClientCall(client: client, invocation: steps.lowerBound, response: steps.upperBound, effect: effect)
  }

  private func holds(_ operations: [ClientCall], known: [UInt64: Content] = [:]) -> Bool {
    var check = Linearizability(of: operations, known: known)
    return check.holds(members: 4)
  }

  private func set(_ number: Int) -> ClientCall.Effect { .write(.set(.loaded(number))) }
  private func read(_ version: UInt64, _ number: Int) -> ClientCall.Effect { .read(version: version, .loaded(number)) }

  @Test("operations that follow each other")
  func required_1_02_sequential() {
    #expect(holds([]))
    #expect(holds([operation(0...1, .read(version: 0, .unknown))]))
    #expect(holds([operation(0...1, set(1)), operation(2...3, read(1, 1)), operation(4...5, .write(.load))]))
    #expect(
      holds([
        operation(0...1, set(1)), operation(2...3, .write(.load)), operation(4...5, .write(.fail(2))),
        operation(6...7, .write(.again)), operation(8...9, .read(version: 4, .failed(2, 1))),
      ]))
  }

  @Test("concurrent operations in the one order that explains what was read")
  func required_1_02_concurrent() {
    let (first, second) = (operation(0...9, set(1)), operation(0...9, by: 2, set(2)))
    #expect(holds([first, second, operation(10...11, read(2, 1))]))
    #expect(holds([first, second, operation(10...11, read(2, 2))]))
    #expect(holds([first, second, operation(3...4, by: 3, read(1, 2)), operation(5...6, by: 3, read(2, 1))]))
    #expect(!holds([first, second, operation(3...4, by: 3, read(1, 2)), operation(5...6, by: 3, read(2, 2))]))
    #expect(holds([first, second], known: [1: .loaded(2), 2: .loaded(1)]))
    #expect(!holds([first, second], known: [1: .loaded(2), 2: .loaded(2)]))
  }

  @Test("a stale read is found")
  func required_1_01_staleRead() {
    #expect(!holds([operation(0...1, set(1)), operation(2...3, by: 2, .read(version: 0, .unknown))]))
    // The read may precede a write that hasn't returned.
    #expect(holds([operation(0...3, set(1)), operation(2...4, by: 2, .read(version: 0, .unknown))]))
    #expect(!holds([operation(0...3, set(1)), operation(2...4, by: 2, read(0, 1))]))
    #expect(!holds([operation(0...1, set(1)), operation(2...3, .readContent(.unknown))]))
  }

  @Test("a read of the future is found")
  func required_1_01_readOfTheFuture() {
    #expect(!holds([operation(0...1, by: 2, read(1, 1)), operation(2...3, set(1))]))
  }

  @Test("a lost write is found")
  func required_1_01_lostWrite() {
    #expect(!holds([operation(0...5, set(1)), operation(1...4, by: 2, set(2)), operation(6...7, read(1, 2))]))
    let lost = operation(0...5, .update(from: .unknown, to: .loaded(1), version: 1))
    #expect(!holds([lost, operation(1...4, by: 2, .update(from: .unknown, to: .loaded(2), version: 2))]))
    #expect(holds([lost, operation(1...4, by: 2, .update(from: .loaded(1), to: .loaded(2), version: 2))]))
  }

  @Test("two writes with one version are found")
  func required_1_01_twoWritesOneVersion() {
    #expect(
      !holds([
        operation(0...5, .update(from: .unknown, to: .loaded(1), version: 1)),
        operation(1...4, by: 2, .update(from: .unknown, to: .loaded(2), version: 1)),
      ]))
  }

  @Test("a replay from the past is found, and one from the future")
  func required_2_01_replay() {
    let writes = [operation(0...1, set(1)), operation(2...3, set(2))]
    #expect(holds(writes + [operation(4...5, by: 2, .join(member: 0, replay: 2))]))
    #expect(!holds(writes + [operation(4...5, by: 2, .join(member: 0, replay: 1))]))
    #expect(!holds(writes + [operation(4...5, by: 2, .join(member: 0, replay: 3))]))
    #expect(holds(writes + [operation(1...2, by: 2, .join(member: 0, replay: 1))]))
  }

  @Test("a state that a buffer didn't receive is found, and one too many")
  func required_2_01_2_04_putIn() {
    let before = [operation(0...1, set(1)), operation(2...3, .join(member: 0, replay: 1)), operation(4...5, set(2))]
    #expect(holds(before + [operation(6...7, .leave(member: 0, received: 2))]))
    #expect(!holds(before + [operation(6...7, .leave(member: 0, received: 1))]))
    #expect(!holds(before + [operation(6...7, .leave(member: 0, received: 3))]))
    #expect(holds(before + [operation(4...7, by: 2, .leave(member: 0, received: 1))]))
    #expect(!holds([operation(0...1, .leave(member: 0, received: 1))]))
  }

  @Test("operations of one client don't count as overlapping")
  func required_7_02_overlap() {
    #expect([operation(0...5, set(1)), operation(5...6, by: 2, set(2))].overlap)
    #expect(![operation(0...5, set(1)), operation(6...7, by: 2, set(2))].overlap)
    #expect(![operation(0...5, set(1)), operation(2...3, set(2))].overlap)
    #expect([operation(0...9, set(1)), operation(2...3, set(2)), operation(4...5, by: 2, set(3))].overlap)
  }
}
