import SubPub
import SubPubTesting
import Testing

extension PublishingTests {
  @Suite("updateData(ifChanged:) publishes unless exactly that data is loaded")
  struct UpdateIfChangedTests {
    @Test("the loaded value again is no transition, another is one")
    func required_1_01_changed() {
      let publisher = Publisher<Int>()
      let recorder = Recorder<Int>()
      publisher.subscribe(recorder, on: .immediate)
      #expect(publisher.updateData(ifChanged: 1))
      #expect(!publisher.updateData(ifChanged: 1))
      #expect(publisher.current.version == 1)
      #expect(publisher.updateData(ifChanged: 2))
      #expect(publisher.current.version == 2)
      #expect(recorder.states == [.unknown, .loaded(1), .loaded(2)])
    }

    @Test(
      "the same value as previous data is news",
      arguments: [LoadState<Int>.unknown, .loading(previous: 1), .error(Failure.offline, previous: 1)])
    func required_1_01_otherPhases(state: LoadState<Int>) {
      let publisher = Publisher<Int>()
      publisher.setState(state)
      #expect(publisher.updateData(ifChanged: 1))
      #expect(publisher.state == .loaded(1))
      #expect(publisher.current.version == 2)
    }

    /// Looks at its publisher while it is compared.
    struct Curious: Equatable, Sendable, CustomStringConvertible {
      let number: Int
      let publisher: Publisher<Curious>

      /// Without the publisher, which would describe the value again.
      var description: String { "\(number)" }

      static func == (left: Curious, right: Curious) -> Bool {
        left.publisher.subscriberCount == 0 && left.publisher.state.phase == .loaded && left.number == right.number
      }
    }

    @Test("== runs while nothing is locked: it may look at the publisher")
    func required_1_04_equality() {
      let publisher = Publisher<Curious>()
      publisher.updateData(Curious(number: 1, publisher: publisher))
      #expect(!publisher.updateData(ifChanged: Curious(number: 1, publisher: publisher)))
      #expect(publisher.updateData(ifChanged: Curious(number: 2, publisher: publisher)))
      // The value holds its publisher.
      publisher.reset()
    }

    @Test("after an unchanged value the same thread may publish")
    func required_1_01_afterNoChange() {
      let publisher = Publisher<Int>()
      publisher.updateData(1)
      publisher.updateData(ifChanged: 1)
      publisher.startLoading()
      publisher.updateData(ifChanged: 1)
      #expect(publisher.current.version == 3)
    }

    @Test("of four threads that offer the same values, one has each change")
    func stochastic_1_01_fourThreads() async {
      let publisher = Publisher<Int>()
      let recorder = Recorder<Int>()
      let changes = Locked(0)
      publisher.subscribe(recorder, on: .immediate)
      await race(threads: 4, rounds: 20) { _ in
        for number in 0..<100 where publisher.updateData(ifChanged: number / 10) { changes.withLock { $0 += 1 } }
      }
      await publisher.drain()
      let values = recorder.states.compactMap(\.value)
      #expect(values.count == changes.withLock { $0 })
      #expect(publisher.current.version == UInt64(values.count))
      #expect(zip(values, values.dropFirst()).allSatisfy { $0 != $1 })
      #expect(Set(values) == Set(0..<10))
    }
  }
}
