import SubPub
import SubPubTesting
import Testing

extension SeedTests {
  @Suite("SubPub: unknown, loading, loaded, error, and the data that was there before")
  struct StateFlowTests {
    let endpoint = DataEndpoint()
    let apples = [DataModel("apple")]
    let pears = [DataModel("pear")]

    @Test("a load goes from unknown through loading to loaded")
    func success() {
      let manager = DataManager(endpoint)
      let recorder = Recorder<[DataModel]>()
      manager.publisher.subscribe(recorder, on: .immediate)
      manager.getData()
      endpoint.answer(.success(apples))
      #expect(recorder.states == [.unknown, .loading(previous: nil), .loaded(apples)])
    }

    @Test("a load that fails ends in an error, which the state carries")
    func failure() {
      let manager = DataManager(endpoint)
      manager.getData()
      endpoint.answer(.failure(EndpointError.denied))
      #expect(manager.publisher.state == .error(EndpointError.denied, previous: nil))
      #expect(manager.publisher.state.error as? EndpointError == .denied)
      #expect(manager.publisher.state.value == nil)
    }

    @Test("previous data stays at hand while loading and after errors, in any number and order")
    func required_5_01_previousData() {
      let manager = DataManager(endpoint)
      let recorder = Recorder<[DataModel]>()
      manager.getData()
      endpoint.answer(.success(apples))
      manager.publisher.subscribe(recorder, on: .immediate)
      manager.getData()
      endpoint.answer(.failure(EndpointError.offline))
      manager.getData()
      manager.publisher.startLoading()
      endpoint.answer(.failure(EndpointError.denied))
      manager.publisher.setError(EndpointError.offline)
      #expect(recorder.states.map(\.value) == Array(repeating: apples, count: 7))
      #expect(recorder.states.map(\.phase) == [.loaded, .loading, .error, .loading, .loading, .error, .error])
      manager.getData()
      endpoint.answer(.success(pears))
      #expect(manager.publisher.state.value == pears)
    }

    @Test("reset clears everything before anyone sees the new state")
    func required_5_02_logout() {
      let manager = DataManager(endpoint)
      let recorder = Recorder<[DataModel]>()
      manager.getData()
      endpoint.answer(.success(apples))
      manager.getData()
      manager.publisher.subscribe(recorder, on: .immediate)
      manager.logout()
      manager.publisher.startLoading()
      #expect(recorder.states == [.loading(previous: apples), .unknown, .loading(previous: nil)])
    }

    @Test("who subscribes gets the current state at once, and only that of all that went before")
    func replay() {
      let manager = DataManager(endpoint)
      manager.getData()
      endpoint.answer(.success(apples))
      manager.getData()
      let recorder = Recorder<[DataModel]>()
      manager.publisher.subscribe(recorder, on: .immediate)
      #expect(recorder.states == [.loading(previous: apples)])
      #expect(recorder.publications.map(\.version) == [3])
    }

    @Test("data from a cache is loaded data")
    func cachedData() {
      let publisher = Publisher<[DataModel]>(staleAfter: .seconds(60), clock: ManualClock())
      publisher.updateData(apples, age: .seconds(59))
      #expect(publisher.state == .loaded(apples))
      #expect(!publisher.isStale)
      publisher.updateData(apples, age: .seconds(61))
      #expect(publisher.isStale)
    }
  }
}
