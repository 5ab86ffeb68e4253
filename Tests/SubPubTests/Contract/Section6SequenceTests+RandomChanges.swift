import SubPub
import SubPubTesting
import Testing

// Rule 6.06 with random lists.
extension Section6SequenceTests {
  /// Changes a list at random.
  static func mutate(_ list: inout [Item], allowingDuplicates: Bool, _ random: inout SeededGenerator) {
    switch random.draw(8) {
    case 0: list = []
    case 1: list.shuffle(using: &random)
    case 2: list.reverse()
    case 3 where !list.isEmpty:
      let item = list.remove(at: random.draw(list.count))
      list.insert(item, at: random.draw(list.count + 1))
    default:
      for _ in 0...random.draw(4) {
        let item = Item(id: random.draw(40), text: "\(random.draw(3))")
        if let index = list.firstIndex(where: { $0.id == item.id }), !allowingDuplicates {
          if random.draw(2) == 0 { list[index] = item } else { list.remove(at: index) }
        } else {
          list.insert(item, at: random.draw(list.count + 1))
        }
      }
    }
  }

  @Test(
    "applying every change gives the list that was published, whatever was skipped", arguments: 0..<8, [false, true])
  func stochastic_6_06_applied(number: Int, allowingDuplicates: Bool) async {
    let seed = UInt64.random(in: 0..<1 << 32)
    print("the seed is \(seed)")
    var random = SeededGenerator(seed: seed)
    let publisher = Publisher<[Item]>()
    let policy = BufferingPolicy.draw(&random)
    var (changes, states) = (
      publisher.changes(buffering: policy).makeAsyncIterator(), publisher.states(buffering: policy).makeAsyncIterator()
    )
    var (list, given, current, isGiven) = ([Item](), [Item](), [Item](), false)
    for _ in 0..<500 {
      for _ in 0...random.draw(4) {
        switch random.draw(12) {
        case 0: publisher.reset()
        case 1: publisher.startLoading()
        case 2: publisher.setError(PublisherEnded(source: publisher.id))
        default:
          Self.mutate(&current, allowingDuplicates: allowingDuplicates, &random)
          publisher.updateData(current)
        }
      }
      // The same states are pending for both, and those that give no change don't count.
      while states.statistics.pending > 0, let expected = await states.next() {
        let next = expected.value ?? []
        guard next != given || (!isGiven && expected.value != nil) else { continue }
        guard let change = await changes.next() else {
          Issue.record("seed \(seed): no change to \(next)")
          return
        }
        list = change.applied(to: list)
        (given, isGiven) = (next, true)
        if list != next {
          Issue.record("seed \(seed): \(change) has made \(list) of the list, which is \(next)")
          return
        }
      }
    }
    publisher.finish()
    #expect(await changes.next() == nil, "no more changes, seed \(seed)")
    #expect(list == publisher.state.value ?? [])
  }

  @Test("a change moves as few as a search among all possible changes would", arguments: 0..<4)
  func stochastic_6_06_fewestMoves(number: Int) async {
    let seed = UInt64.random(in: 0..<1 << 32)
    print("the seed is \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let old = Array(0..<1 + random.draw(7)).shuffled(using: &random)
      let new = Array(0..<1 + random.draw(7)).shuffled(using: &random)
      let publisher = Publisher(initial: Self.items(old))
      var changes = publisher.changes().makeAsyncIterator()
      _ = await changes.next()
      publisher.updateData(Self.items(new))
      publisher.finish()
      // The largest set of elements whose order is the same in both.
      let common = new.filter(old.contains)
      let longest = (0..<1 << common.count).filter { set in
        let kept = common.indices.filter { set & 1 << $0 != 0 }.compactMap { old.firstIndex(of: common[$0]) }
        return kept == kept.sorted()
      }.map(\.nonzeroBitCount).max()
      var moves = 0
      if case .changed(_, _, _, let moved)? = await changes.next() { moves = moved.count }
      #expect(moves == common.count - (longest ?? 0), "seed \(seed): from \(old) to \(new)")
    }
  }
}
