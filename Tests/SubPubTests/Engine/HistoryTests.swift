#if DEBUG
  import Synchronization
  import Testing

  @testable import SubPub

  @Suite("A history finds what a client names without searching for it")
  struct HistoryTests {
    private typealias History = SubPub.History

    /// A publication that counts how often anybody looks at it.
    private final class Probe: BoxedPublication {
      private let ownID: PublicationID
      private let isForeign: Bool
      private let looks = Atomic<Int>(0)

      init(_ id: PublicationID, isForeign: Bool) { (ownID, self.isForeign) = (id, isForeign) }

      var lookCount: Int { looks.load(ordering: .relaxed) }
      var id: PublicationID {
        looks.add(1, ordering: .relaxed)
        return ownID
      }
      var carried: Carried? { isForeign ? Carried(values: [], id: id) : nil }

      func stamp(_ version: UInt64) {}
      func carry(_ carried: Carried) {}
      var isLoaded: Bool { true }
      var isUnknown: Bool { false }
      var publication: (any AnyPublication)? { nil }
    }

    private static func own(_ version: UInt64) -> PublicationID { PublicationID(epoch: 7, version: version) }

    /// The versions after an identifier, or nil.
    private func versions(_ history: History, after id: PublicationID, newest: Int = .max) -> [UInt64]? {
      history.states(after: id).map { missed in
        var versions: [UInt64] = []
        missed.forEach(ofNewest: newest) { versions.append($0.version) }
        return versions
      }
    }

    @Test("whatever a client sends, a long history isn't searched", arguments: [false, true])
    func required_6_05_search(isForeign: Bool) {
      let count = 10_000
      var (history, probes) = (History(keeping: count - 1), [Probe]())
      for version in 1...UInt64(count) + 5 {
        // Versions of another process have gaps.
        probes.append(Probe(Self.own(isForeign ? 3 * version : version), isForeign: isForeign))
        _ = history.append(QueuedState(probes[Int(version) - 1], version: version))
      }
      let before = probes.reduce(0) { $0 + $1.lookCount }
      for (epoch, version) in [(8, 5), (7, .max), (7, 4), (0, 0), (.max, .max)] as [(UInt64, UInt64)] {
        #expect(history.states(after: PublicationID(epoch: epoch, version: version)) == nil)
      }
      let step: UInt64 = isForeign ? 3 : 1
      #expect(versions(history, after: Self.own(10 * step))?.count == count - 5)
      #expect(versions(history, after: Self.own(10 * step), newest: 2) == [10_004, 10_005])
      #expect(versions(history, after: Self.own(10_005 * step)) == [])
      #expect(probes.reduce(0) { $0 + $1.lookCount } - before <= 16, "eight times")
    }

    @Test("among identifiers that alternate, repeat themselves, and go back, the last one counts")
    func required_6_05_8_01_foreign() {
      let (first, second) = (UInt64(1), UInt64(2))
      let ids: [(UInt64, UInt64, Bool)] = [
        (first, 5, true), (7, 2, false), (first, 5, true), (first, 9, true), (second, 1, true), (7, 6, false),
        (second, 1, true), (first, 6, true),
      ]
      var history = History(keeping: 6)
      var all: [PublicationID] = []
      for (index, (epoch, version, isForeign)) in ids.enumerated() {
        all.append(PublicationID(epoch: epoch, version: version))
        let removed = history.append(QueuedState(Probe(all[index], isForeign: isForeign), version: UInt64(index) + 1))
        #expect(removed?.version == (index == 7 ? 1 : nil))
      }
      for id in all {
        let last = all.lastIndex(of: id).map { UInt64($0) + 1 }
        #expect(versions(history, after: id) == last.map { Array($0 + 1..<9) })
      }
      // The first one that is kept follows it.
      #expect(versions(history, after: Self.own(1)) == Array(2...8))
      _ = history.append(QueuedState(Probe(Self.own(9), isForeign: false), version: 9))
      _ = history.append(QueuedState(Probe(Self.own(10), isForeign: false), version: 10))
      #expect(versions(history, after: all[0]) == nil)
      #expect(history.clear().count == 7)
      #expect(versions(history, after: all[3]) == nil)
      _ = history.append(QueuedState(Probe(Self.own(11), isForeign: false), version: 11))
      for id in all { #expect(versions(history, after: id) == nil) }
    }

    @Test("a history of any length can be kept")
    func required_6_05_longest() {
      let publisher = Publisher<Int>(history: .max)
      let id = publisher.current.id
      for number in 1...20 { publisher.updateData(number) }
      #expect(publisher.publications(after: id).makeAsyncIterator().statistics.pending == 20)
    }
  }
#endif
