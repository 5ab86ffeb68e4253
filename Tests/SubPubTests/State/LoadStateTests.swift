import SubPub
import Testing

extension StateTests {
  @Suite("A load state carries its data and tells what it has")
  struct LoadStateTests {
    @Test("the value is the loaded or the previous one")
    func value() {
      #expect(LoadState<Int>.unknown.value == nil)
      #expect(LoadState<Int>.loading(previous: nil).value == nil)
      #expect(LoadState.loading(previous: 1).value == 1)
      #expect(LoadState.loaded(2).value == 2)
      #expect(LoadState<Int>.error(Failure.offline, previous: nil).value == nil)
      #expect(LoadState.error(Failure.offline, previous: 3).value == 3)
    }

    @Test("only a failed load has an error")
    func error() {
      #expect(LoadState<Int>.unknown.error == nil)
      #expect(LoadState.loading(previous: 1).error == nil)
      #expect(LoadState.loaded(2).error == nil)
      #expect(LoadState.error(Failure.denied, previous: 3).error as? Failure == .denied)
    }

    @Test("the phase is the case without its data")
    func phase() {
      #expect(LoadState<Int>.unknown.phase == .unknown)
      #expect(LoadState<Int>.loading(previous: nil).phase == .loading)
      #expect(LoadState.loading(previous: 1).phase == .loading)
      #expect(LoadState.loaded(2).phase == .loaded)
      #expect(LoadState.error(Failure.offline, previous: 3).phase == .error)
      #expect(Set<LoadPhase>([.unknown, .loading, .loaded, .error, .loaded]).count == 4)
    }

    @Test("a value that is itself an optional is there also when it is nil")
    func optionalValue() {
      #expect(LoadState<Int?>.loaded(nil).value == .some(nil))
      #expect(LoadState<Int?>.loading(previous: .some(nil)).value == .some(nil))
      #expect(LoadState<Int?>.loading(previous: nil).value == .none)
      let publisher = Publisher<Int?>()
      publisher.updateData(nil)
      publisher.startLoading()
      #expect(publisher.state == .loading(previous: .some(nil)))
    }
  }

  @Suite("map changes the data of a state and nothing else")
  struct LoadStateMapTests {
    @Test("every case stays what it is")
    func cases() {
      #expect(LoadState<Int>.unknown.map { "\($0)" } == .unknown)
      #expect(LoadState<Int>.loading(previous: nil).map { "\($0)" } == .loading(previous: nil))
      #expect(LoadState.loading(previous: 1).map { "\($0)" } == .loading(previous: "1"))
      #expect(LoadState.loaded(2).map { "\($0)" } == .loaded("2"))
      #expect(LoadState.error(Failure.denied, previous: 3).map { "\($0)" } == .error(Failure.denied, previous: "3"))
      #expect(
        LoadState<Int>.error(Failure.denied, previous: nil).map { "\($0)" } == .error(Failure.denied, previous: nil))
    }

    @Test(
      "what the transform throws is passed on, and it runs once",
      arguments: [LoadState.loading(previous: 1), .loaded(1), .error(Failure.denied, previous: 1)])
    func throwing(state: LoadState<Int>) {
      var runs = 0
      #expect(throws: Failure.offline) {
        try state.map { _ -> String in
          runs += 1
          throw Failure.offline
        }
      }
      #expect(runs == 1)
    }

    @Test(
      "without data the transform doesn't run",
      arguments: [LoadState<Int>.unknown, .loading(previous: nil), .error(Failure.denied, previous: nil)])
    func withoutData(state: LoadState<Int>) throws {
      let mapped = try state.map { _ -> String in throw Failure.offline }
      #expect(mapped.phase == state.phase)
    }
  }
}
