import SubPub
import SubPubTesting

private struct Broken: Error, Equatable {}

func streamManagers() async throws {
  let clock = ManualClock()
  let (numbers, sender) = AsyncThrowingStream<Int, any Error>.makeStream()
  let manager = StreamManager<Int>(
    label: "numbers", keepingAlive: .seconds(10), retry: .never, clock: clock
  ) { numbers }
  let publisher: Publisher<Int> = manager.publisher
  expectEqual(publisher.label, "numbers", "the publisher has the label")
  manager.refreshIfNeeded()
  expect(!manager.isRunning, "nobody listens")
  let listener = Recorder<Int>()
  publisher.subscribe(listener, on: .background)
  expect(manager.isRunning, "it runs with the first listener")
  sender.yield(1)
  expectEqual(await manager.refresh(), .loaded(1), "the first element")
  publisher.unsubscribe(listener)
  expect(manager.isRunning, "it is kept alive")
  try await clock.waitForSleepers(1)
  let next = publisher.observe(on: .background) { _ in }
  manager.logout()
  expect(!manager.isRunning, "a logout ends it")
  expectEqual(publisher.state, .unknown, "and forgets the data")
  next.cancel()
  expect("\(manager)".hasPrefix("StreamManager of Publisher<Int>"), "its description")

  let (others, otherSender) = AsyncThrowingStream<Int, any Error>.makeStream()
  let erased: @Sendable () async throws -> any AsyncSequence<Int, any Error> & Sendable = { others }
  let failing = StreamManager(stream: erased)
  otherSender.finish(throwing: Broken())
  let state = await failing.refresh()
  expectEqual(state, .error(Broken(), previous: nil), "an error of the stream")
  passed("StreamManager")
}
