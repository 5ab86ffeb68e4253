import SubPub
import Testing

extension ClientTests {
  @Suite("States and publications: what a subscriber reads")
  struct StateTests {
    private static let states: [LoadState<Int>] = [
      .unknown, .loading(previous: nil), .loading(previous: 1), .loaded(2),
      .error(Failure.offline, previous: nil), .error(Failure.denied, previous: 3),
    ]

    @Test("a state has a phase, a value and an error, and a switch over it needs no default")
    func reading() {
      let phases: [LoadPhase] = [.unknown, .loading, .loading, .loaded, .error, .error]
      #expect(Self.states.map(\.phase) == phases)
      #expect(Set(phases).count == 4)
      #expect(Self.states.map(\.value) == [nil, nil, 1, 2, nil, 3])
      #expect(Self.states.map { $0.error as? Failure } == [nil, nil, nil, nil, .offline, .denied])
      for state in Self.states {
        switch state {
        case .unknown: #expect(state.value == nil)
        case .loading(let previous): #expect(previous == state.value)
        case .loaded(let value): #expect(value == 2)
        case .error(let error, let previous):
          #expect(error is Failure, "the error keeps its type")
          #expect(previous == state.value)
        }
      }
      #expect("\(Self.states[5])" == "error(denied, previous: 3)")
    }

    @Test("a loaded state gives its value, and any other throws its error or its phase")
    func getting() throws {
      #expect(try LoadState.loaded(1).get() == 1)
      #expect(throws: Failure.denied) { try Self.states[5].get() }
      #expect(throws: NotLoaded(phase: .loading)) { try Self.states[2].get() }
      #expect(NotLoaded(phase: .unknown).phase == .unknown)
      #expect(NotLoaded(phase: .loading).description.contains("loading"))
    }

    @Test("map keeps the phase and the error, and rethrows")
    func mapping() {
      #expect(
        Self.states.map { state in state.map { "\($0)" } } == [
          .unknown, .loading(previous: nil), .loading(previous: "1"), .loaded("2"),
          .error(Failure.offline, previous: nil), .error(Failure.denied, previous: "3"),
        ])
      #expect(throws: Failure.denied) { try LoadState.loaded(1).map { _ -> Int in throw Failure.denied } }
    }

    nonisolated enum OtherFailure: Error { case offline }

    @Test("states are compared by phase, values, and the type and description of errors")
    func comparing() {
      #expect(LoadState.loaded(1) != .loaded(2))
      #expect(LoadState<Int>.unknown != .loading(previous: nil))
      let offline = LoadState<Int>.error(Failure.offline, previous: nil)
      #expect(offline == .error(Failure.offline, previous: nil))
      #expect(offline != .error(Failure.denied, previous: nil))
      #expect(offline != .error(OtherFailure.offline, previous: nil))
      #expect(offline != .error(Failure.offline, previous: 1))
    }

    @Test("every publisher has an identity, which prints its label")
    func publisherIDs() {
      let songs = Publisher<[String]>(label: "songs")
      let albums = Publisher<[String]>()
      let id: PublisherID = songs.id
      #expect(id.description == "songs")
      #expect(!albums.id.description.isEmpty)
      #expect(Set([songs.id, albums.id, songs.id]).count == 2)
      #expect(songs.label == "songs")
      #expect(albums.label == nil)
      #expect(songs.description.contains("songs"))
    }

    @Test("a publication is read with its type, or without it, and never changes")
    func publications() {
      let publisher = Publisher<Int>(label: "counter")
      publisher.updateData(1)
      publisher.setError(Failure.offline)

      let typed: Publication<Int> = publisher.current
      #expect(typed.state == .error(Failure.offline, previous: 1))
      #expect(typed.version == 2)
      #expect(typed.source == publisher.id)
      #expect(typed.origin == DataOrigin.published)
      #expect(typed.description.hasPrefix("counter 2: error"))

      let publication: any AnyPublication = typed
      #expect(publication.version == 2)
      #expect(publication.source == publisher.id)
      #expect(publication.phase == .error)
      #expect(publication.error as? Failure == .offline)
      #expect(publication.anyValue as? Int == 1)
      #expect(publication.origin == .published)
      #expect("\(publication.valueType)" == "Int")
      #expect(publication as? Publication<Int> === typed)
      #expect(publication as? Publication<String> == nil)
      publisher.reset()
      #expect(typed.state == .error(Failure.offline, previous: 1))
    }
  }
}
