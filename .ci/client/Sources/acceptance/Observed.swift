import Observation
import SubPub

@MainActor func observedStates() async {
  let publisher = Publisher<Int>(label: "observed")
  let (direct, derived) = (ObservedState(publisher), ObservedState(publisher.map { "\($0)" }))
  expectEqual(direct.state, .unknown, "at first")
  let changes = Journal<String>()
  withObservationTracking {
    _ = direct.isLoading
  } onChange: {
    changes.add("isLoading")
  }
  withObservationTracking {
    _ = (direct.value, direct.error)
  } onChange: {
    changes.add("state")
  }
  publisher.updateData(1)
  await publisher.drain()
  expectEqual(changes.entries, ["state"], "only what has changed")
  publisher.startLoading()
  await publisher.drain()
  expectEqual(changes.entries, ["state", "isLoading"], "a load has begun")
  expect(direct.isLoading, "loading")
  publisher.setError(Failure.offline)
  await publisher.drain()
  expectEqual(direct.value, 1, "the value from before")
  expect(direct.error is Failure, "the error")
  while derived.value == nil || derived.error == nil { await Task.yield() }
  expectEqual(derived.value, "1", "a derived publisher")
  passed("ObservedState")
}
