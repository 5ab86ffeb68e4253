import SubPub
import Testing

extension ClientTests {
  @Suite("States and publications: what a subscriber reads")
  struct StateTests {
    private static let states: [LoadState<Int>] = [
      .unknown, .loading(previous: 1), .loaded(2), .error(Failure.denied, previous: 3),
    ]

    @Test("a state has a phase, a value and an error, and a switch over it needs no default")
    func reading() throws {
      let phases: [LoadPhase] = [.unknown, .loading, .loaded, .error]
      #expect(Self.states.map(\.phase) == phases)
      #expect(Set(phases).count == 4)
      #expect(Self.states.map(\.value) == [nil, 1, 2, 3])
      #expect(Self.states[3].error as? Failure == .denied, "the error keeps its type")
      for state in Self.states {
        switch state {
        case .unknown: #expect(state.value == nil)
        case .loading(let previous): #expect(previous == state.value)
        case .loaded(let value): #expect(try state.get() == value)
        case .error(let error, let previous):
          #expect(error is Failure)
          #expect(previous == state.value)
        }
      }
      #expect("\(Self.states[3])" == "error(denied, previous: 3)")
      #expect(throws: Failure.denied) { try Self.states[3].get() }
      #expect(throws: NotLoaded(phase: .loading)) { try Self.states[1].get() }
      #expect(NotLoaded(phase: .unknown).phase == .unknown)
      #expect(NotLoaded(phase: .loading).description.contains("loading"))
    }

    @Test("map keeps the phase and the error, and rethrows; states are compared by what they contain")
    func mapping() {
      #expect(
        Self.states.map { state in state.map { "\($0)" } } == [
          .unknown, .loading(previous: "1"), .loaded("2"), .error(Failure.denied, previous: "3"),
        ])
      #expect(throws: Failure.denied) { try LoadState.loaded(1).map { _ -> Int in throw Failure.denied } }
      #expect(Self.states[3] != .error(Failure.offline, previous: 3))
    }

    @Test("a publication is read with its type, or without it, and never changes")
    func publications() {
      let publisher = Publisher<Int>(label: "counter")
      let id: PublisherID = publisher.id
      #expect(id.description == "counter")
      #expect(Set([id, publisher.id, Publisher<Int>().id]).count == 2)
      #expect(publisher.description.contains("counter"))
      publisher.updateData(1)
      publisher.setError(Failure.offline)

      let typed: Publication<Int> = publisher.current
      #expect(typed.state == .error(Failure.offline, previous: 1))
      #expect((typed.version, typed.source) == (2, id))
      #expect(typed.origin == DataOrigin.published)
      #expect(typed.description.hasPrefix("counter 2: error"))
      let publication: any AnyPublication = typed
      #expect((publication.version, publication.source) == (2, id))
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
