import Dispatch
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

    @Test("a publication is read with its type, or without it, and never changes")
    func publications() {
      let publisher = Publisher<Int>(label: "counter")
      let id: PublisherID = publisher.id
      #expect(id.description == "counter")
      #expect(Set([id, publisher.id, Publisher<Int>().id]).count == 2)
      #expect(publisher.description == "Publisher<Int>(counter 0: unknown)")
      let ended = PublisherEnded(source: id)
      #expect((ended.source, ended.description) == (id, "counter has ended"))
      var all: [any AnyPublication] = [publisher.current]
      for publish in [{ $0.updateData(1) }, { $0.startLoading() }, { $0.setError(Failure.offline) }]
        as [(Publisher<Int>) -> Void]
      {
        publish(publisher)
        all.append(publisher.current)
      }
      let typed: Publication<Int> = publisher.current
      publisher.reset()
      #expect(typed.state == .error(Failure.offline, previous: 1))
      #expect((typed.version, typed.source) == (3, id))
      #expect(typed.origin == DataOrigin.published)
      #expect(typed.description == "counter 3: error(offline, previous: 1)")
      #expect(all.map { $0.phase } == [.unknown, .loaded, .loading, .error])
      #expect(all.map { $0.version } == [0, 1, 2, 3])
      #expect(all.map { $0.anyValue as? Int } == [nil, 1, 1, 1])
      #expect(all.map { $0.error as? Failure } == [nil, nil, nil, .offline])
      #expect(all.allSatisfy { $0.source == id && "\($0.valueType)" == "Int" })
      #expect(all[3].origin == .published)
      #expect(all[3] as? Publication<Int> === typed)
      #expect(all[3] as? Publication<String> == nil)
    }

    @Test("update is atomic, returns what it published, and publishes nothing if it throws or nothing has changed")
    func updating() {
      let publisher = Publisher<Int>()
      publisher.updateData(1)
      let publication = publisher.update { $0.map { $0 + 1 } }
      #expect((publication.state, publication.version) == (.loaded(2), 2))
      #expect(throws: Failure.denied) { try publisher.update { _ in throw Failure.denied } }
      #expect(!publisher.updateData(ifChanged: 2))
      #expect(publisher.current.version == 2)
      publisher.updateData(ifChanged: 5)  // the result may be ignored
      DispatchQueue.concurrentPerform(iterations: 4) { @Sendable _ in
        for _ in 1...100 { publisher.update { .loaded(($0.value ?? 0) + 1) } }
      }
      #expect(publisher.state == .loaded(405))
    }
  }
}
