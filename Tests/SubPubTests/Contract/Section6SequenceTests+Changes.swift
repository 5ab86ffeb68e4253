import SubPub
import SubPubTesting
import Testing

// Rule 6.06: lists by their changes.
extension Section6SequenceTests {
  struct Item: Identifiable, Hashable, Sendable, Codable {
    let id: Int
    var text = "a"
  }

  typealias Change = ListChange<Int, Item>

  static func items(_ ids: some Sequence<Int>) -> [Item] { ids.map { Item(id: $0) } }

  /// Returns the change between two lists.
  private func change(from old: [Item], to new: [Item]) async -> Change? {
    let publisher = Publisher(initial: old)
    var iterator = publisher.changes().makeAsyncIterator()
    #expect(await iterator.next() == .reset(old))
    publisher.updateData(new)
    publisher.finish()
    return await iterator.next()
  }

  @Test("the whole list comes first, and then what differs from the list before")
  func required_6_06_differences() async {
    let publisher = Publisher(initial: Self.items(1...4))
    var iterator = publisher.changes().makeAsyncIterator()
    #expect(await iterator.next() == .reset(Self.items(1...4)))
    publisher.updateData([Item(id: 1), Item(id: 3, text: "b"), Item(id: 4), Item(id: 5)])
    let change = await iterator.next()
    #expect(
      change
        == .changed(
          inserted: [.init(element: Item(id: 5), index: 3)],
          updated: [.init(element: Item(id: 3, text: "b"), index: 1)], removed: [.init(id: 2, index: 1)], moved: []))
    #expect(change?.applied(to: Self.items(1...4)) == publisher.state.value)
    publisher.updateData([])
    #expect(
      await iterator.next()
        == .changed(
          inserted: [], updated: [],
          removed: [1, 3, 4, 5].enumerated().map { .init(id: $1, index: $0) }, moved: []))
  }

  @Test("a consumer that was skipped gets the difference to what it was given last")
  func required_6_06_skipped() async {
    let publisher = Publisher(initial: Self.items(0..<100))
    var iterator = publisher.changes(buffering: .latest).makeAsyncIterator()
    var list = await iterator.next()?.applied(to: []) ?? []
    for step in 1...50 {
      var next = publisher.state.value ?? []
      next[step].text = "changed"
      publisher.updateData(next)
    }
    let change = await iterator.next()
    #expect(change?.description == "50 updated")
    list = change?.applied(to: list) ?? []
    #expect(list == publisher.state.value)
    #expect(iterator.statistics.skipped == 49)
  }

  @Test("states with an equal list give no change, and states without one give a reset only after a list")
  func required_6_06_withoutList() async {
    let publisher = Publisher<[Item]>()
    var iterator = publisher.changes().makeAsyncIterator()
    publisher.startLoading()
    publisher.updateData([])
    #expect(await iterator.next() == .reset([]), "the first list, even if it is empty")
    publisher.updateData(Self.items([1]))
    let inserted = Change.changed(
      inserted: [.init(element: Item(id: 1), index: 0)], updated: [], removed: [], moved: [])
    #expect(await iterator.next() == inserted)
    publisher.startLoading()
    publisher.setError(PublisherEnded(source: publisher.id))
    publisher.republish()
    // Equal, and another array.
    publisher.updateData(Self.items([1]))
    publisher.reset()
    #expect(await iterator.next() == .reset([]))
    #expect(iterator.statistics.delivered == 9)
    publisher.startLoading()
    publisher.updateData([])
    publisher.updateData(Self.items([2]))
    #expect(await iterator.next() == inserted.renamed(to: 2))
    publisher.reset()
    publisher.updateData(Self.items([3]))
    #expect(await iterator.next() == .reset([]))
    #expect(await iterator.next() == .reset(Self.items([3])))
    publisher.finish()
    #expect(await iterator.next() == nil)
    #expect(iterator.end == .publisherEnded)
  }

  @Test(
    "as few elements as possible are moved, and those that others have pushed aside aren't mentioned",
    arguments: [
      ([1, 2, 3, 4, 5], [5, 1, 2, 3, 4], 1), ([1, 2, 3, 4, 5], [2, 3, 4, 5, 1], 1),
      ([1, 2, 3, 4, 5], [1, 4, 3, 2, 5], 2),
      ([1, 2, 3, 4, 5], [5, 4, 3, 2, 1], 4), ([1, 2, 3, 4, 5, 6], [4, 5, 6, 1, 2, 3], 3),
      ([1, 2, 3], [9, 1, 8, 2, 7, 3], 0), ([9, 1, 8, 2, 7, 3], [1, 2, 3], 0), ([1, 2, 3, 4], [3, 9, 1, 4], 1),
      ([1, 2, 3, 4, 5, 6, 7, 8], [1, 9, 5, 3, 7, 4, 6, 8], 2),
    ] as [([Int], [Int], Int)])
  func required_6_06_moves(old: [Int], new: [Int], moves: Int) async throws {
    let change = try #require(await change(from: Self.items(old), to: Self.items(new)))
    #expect(change.applied(to: Self.items(old)) == Self.items(new))
    guard case .changed(let inserted, let updated, let removed, let moved) = change else {
      Issue.record("\(change)")
      return
    }
    #expect(moved.count == moves)
    #expect(moved.allSatisfy { old[$0.from] == $0.id && new[$0.to] == $0.id })
    #expect(Set(inserted.map(\.element.id)) == Set(new).subtracting(old))
    #expect(Set(removed.map(\.id)) == Set(old).subtracting(new))
    #expect(updated.isEmpty)
  }

  @Test("an element that was moved and changed is in both parts")
  func required_6_06_movedAndUpdated() async throws {
    let change = await change(from: Self.items(1...3), to: [Item(id: 3, text: "b")] + Self.items(1...2))
    #expect(
      change
        == .changed(
          inserted: [], updated: [.init(element: Item(id: 3, text: "b"), index: 0)], removed: [],
          moved: [.init(id: 3, from: 2, to: 0)]))
  }

  @Test("each part is in the order of the list, also what was updated and moved in front of other updates")
  func required_6_06_order() async throws {
    let old = Self.items([1, 2, 3, 4, 5, 6])
    let new = [6, 1, 2, 5, 3, 4].map { Item(id: $0, text: [6, 2, 5, 4].contains($0) ? "b" : "a") }
    let change = try #require(await change(from: old, to: new))
    guard case .changed(_, let updated, _, let moved) = change else {
      Issue.record("\(change)")
      return
    }
    #expect(updated.map(\.index) == [0, 2, 3, 5])
    #expect(moved.map(\.to) == [0, 3])
    #expect(change.applied(to: old) == new)
  }

  @Test("with identifiers that occur several times, a change is right by its indices")
  func required_6_06_duplicates() async throws {
    let lists = [[1, 1, 1], [1, 2, 1], [2, 1], [1, 2, 2, 1, 1], [3, 3], [3, 1, 3, 1], [], [1, 1]]
    for old in lists {
      for (number, new) in lists.enumerated() where new != old {
        let (old, new) = (Self.items(old), new.map { Item(id: $0, text: "\(number % 2)") })
        let change = try #require(await change(from: old, to: new))
        #expect(change.applied(to: old) == new)
      }
    }
  }

  @Test("elements that are equal and have other identifiers are others")
  func required_6_06_equalElements() async throws {
    struct Loose: Identifiable, Equatable, Sendable {
      let id: Int
      static func == (left: Loose, right: Loose) -> Bool { true }
    }
    let publisher = Publisher(initial: [Loose(id: 1), Loose(id: 2)])
    var iterator = publisher.changes().makeAsyncIterator()
    let list = await iterator.next()?.applied(to: []) ?? []
    publisher.updateData([Loose(id: 1), Loose(id: 3)])
    let change = await iterator.next()
    #expect(change?.applied(to: list).map(\.id) == [1, 3])
  }

  @Test("lists are compared while nothing is locked, and only on the consumer's task")
  func required_6_06_1_04_foreignCode() async {
    let publisher = Publisher<[Probe]>()
    func probes(_ last: Int) -> [Probe] {
      [1, last].map { Probe(id: $0) { [weak publisher] in _ = publisher?.state } }
    }
    var iterator = publisher.changes(buffering: .latest).makeAsyncIterator()
    for number in 2...5 { publisher.updateData(probes(number)) }
    #expect(Probe.comparisons.withLock { $0 } == 0)
    #expect(await iterator.next() != nil)
    publisher.updateData(probes(6))
    #expect(Probe.comparisons.withLock { $0 } == 0)
    #expect(await iterator.next()?.description == "1 inserted, 1 removed")
    #expect(Probe.comparisons.withLock { $0 } == 1)
  }

  /// Uses the publisher whenever it is compared or hashed.
  private struct Probe: Identifiable, Equatable, Sendable {
    static let comparisons = Locked(0)

    struct ID: Hashable, Sendable {
      let number: Int
      let use: @Sendable () -> Void

      static func == (left: ID, right: ID) -> Bool {
        left.use()
        return left.number == right.number
      }

      func hash(into hasher: inout Hasher) {
        use()
        hasher.combine(number)
      }
    }

    let id: ID

    init(id: Int, use: @escaping @Sendable () -> Void) { self.id = ID(number: id, use: use) }

    static func == (left: Probe, right: Probe) -> Bool {
      comparisons.withLock { $0 += 1 }
      return left.id == right.id
    }
  }
}

extension ListChange where ID == Int, Element == Section6SequenceTests.Item {
  /// The same insertion of another element.
  fileprivate func renamed(to id: Int) -> Self {
    .changed(inserted: [.init(element: Element(id: id), index: 0)], updated: [], removed: [], moved: [])
  }
}
