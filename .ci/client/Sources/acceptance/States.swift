import SubPub

func loadStates() {
  let states: [LoadState<Int>] = [
    .unknown, .loading(previous: nil), .loading(previous: 1), .loaded(2),
    .error(Failure.offline, previous: nil), .error(Failure.denied, previous: 3),
  ]
  let phases: [LoadPhase] = [.unknown, .loading, .loading, .loaded, .error, .error]
  expectEqual(states.map(\.phase), phases, "phases")
  expectEqual(Set(phases).count, 4, "LoadPhase is Hashable")
  expectEqual(states.map(\.value), [nil, nil, 1, 2, nil, 3], "values")
  expectEqual(
    states.map { $0.error as? Failure }, [nil, nil, nil, nil, .offline, .denied], "errors")

  for state in states {
    switch state {  // exhaustive without a default
    case .unknown: expect(state.value == nil, "unknown has no value")
    case .loading(let previous): expectEqual(previous, state.value, "the previous value")
    case .loaded(let value): expectEqual(value, 2, "the value")
    case .error(let error, let previous):
      expect(error is Failure, "the error keeps its type")
      expectEqual(previous, state.value, "the previous value")
    }
  }

  expectEqual(
    states.map { state in state.map { "\($0)" } },
    [
      .unknown, .loading(previous: nil), .loading(previous: "1"), .loaded("2"),
      .error(Failure.offline, previous: nil), .error(Failure.denied, previous: "3"),
    ], "map keeps the phase and the error")
  do {
    _ = try LoadState.loaded(1).map { _ -> Int in throw Failure.denied }
    fail("map rethrows")
  } catch {
    expectEqual(error as? Failure, .denied, "what map rethrows")
  }

  expect(LoadState.loaded(1) != .loaded(2), "different values differ")
  expect(LoadState<Int>.unknown != .loading(previous: nil), "different phases differ")
  let offline = LoadState<Int>.error(Failure.offline, previous: nil)
  expect(offline == .error(Failure.offline, previous: nil), "equal errors are equal")
  expect(offline != .error(Failure.denied, previous: nil), "errors compare by description")
  expect(offline != .error(OtherFailure.offline, previous: nil), "errors compare by type")
  expect(offline != .error(Failure.offline, previous: 1), "previous values count")
  passed("LoadState and LoadPhase")
}

func publisherIDs() {
  let songs = Publisher<[String]>(label: "songs")
  let albums = Publisher<[String]>()
  let id: PublisherID = songs.id
  expect(id.description.contains("songs"), "an id prints its label, and not \(id)")
  expect(!albums.id.description.isEmpty, "an id without a label prints something")
  expectEqual(Set([songs.id, albums.id, songs.id]).count, 2, "ids are one for each publisher")
  expectEqual(songs.label, "songs", "the label")
  expectEqual(albums.label, nil, "no label")
  passed("PublisherID")
}

func publications() {
  let publisher = Publisher<Int>(label: "counter")
  publisher.updateData(1)
  publisher.setError(Failure.offline)

  let typed: Publication<Int> = publisher.current
  expectEqual(typed.state, .error(Failure.offline, previous: 1), "state")
  expectEqual(typed.version, 2, "version")
  expectEqual(typed.source, publisher.id, "source")

  let publication: any AnyPublication = typed
  expectEqual(publication.version, 2, "version without a type")
  expectEqual(publication.source, publisher.id, "source without a type")
  expectEqual(publication.phase, .error, "phase without a type")
  expectEqual(publication.error as? Failure, .offline, "error without a type")
  expectEqual(publication.anyValue as? Int, 1, "value without a type")
  expect(publication.valueType == Int.self, "the type of the value")
  expect(publication as? Publication<Int> === typed, "a handler finds the type again")
  expect(publication as? Publication<String> == nil, "and no other type")
  publisher.reset()
  expectEqual(typed.state, .error(Failure.offline, previous: 1), "a publication never changes")
  passed("Publication and AnyPublication")
}
