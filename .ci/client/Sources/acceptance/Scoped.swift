import SubPub
import SubPubTesting

func scopedSubscriptions() async {
  let publisher = Publisher<Int>()
  let recorder = Recorder<Int>()
  var observation: ScopedSubscription? = publisher.observe(on: .immediate, buffering: .unbounded) {
    recorder.receive($0)
  }
  publisher.updateData(1)
  expectEqual(observation?.isActive, true, "an observation")
  expectEqual(observation?.statistics.delivered, 2, "its counts")
  expectEqual(observation?.subscription.source, publisher.id, "its subscription")
  expect(observation?.description.hasPrefix("scoped ") == true, "its description")
  observation = nil
  publisher.updateData(2)
  expectEqual(recorder.states, [.unknown, .loaded(1)], "it ends when it is released")

  let scoped = publisher.subscribe(recorder, on: .immediate).scoped()
  expectEqual(scoped.cancel(), .quiescent, "any subscription can be scoped")
  expectEqual(publisher.subscriberCount, 0, "nobody is left")
  passed("ScopedSubscription")
}

func publicationSequences() async {
  let publisher = Publisher<Int>(label: "sequence")
  let sequence: PublicationSequence<Int> = publisher.publications(buffering: .newest(2))
  var iterator = sequence.makeAsyncIterator()
  publishThree(publisher)
  expectEqual(await iterator.next()?.version, 2, "the first that is left")
  expectEqual(await iterator.next(isolation: nil)?.version, 3, "the last")
  expectEqual(iterator.statistics.skipped, 2, "what it skipped")
  expectEqual(sequence.source, publisher.id, "whose publications")
  expectEqual(sequence.description, "publications of sequence, newest(2)", "a description")
  passed("PublicationSequence")
}

func drainingWithin() async {
  let publisher = Publisher<Int>()
  let (executor, recorder) = (ManualExecutor(), Recorder<Int>())
  let subscription = publisher.subscribe(recorder, on: .executor(executor))
  do {
    try await publisher.drain(within: .zero)
    fail("nothing was served")
  } catch let error as DrainTimedOut {
    expectEqual(error, DrainTimedOut(limit: .zero, subscriptions: [subscription]), "who is late")
    expect(error.description.contains("Recorder"), "a description: \(error)")
  } catch {
    fail("\(error)")
  }
  executor.runAll()
  do { try await publisher.drain(within: .seconds(10), clock: ContinuousClock()) } catch { fail("\(error)") }
  passed("drain(within:)")
}
