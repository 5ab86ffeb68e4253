import Dispatch
import SubPub
import SubPubTesting
import Testing

extension ClientTests.ContextTests {
  @Test("four threads publish to every context under every policy, and all end with the last version")
  func converging() async throws {
    let tally = Tally()
    let contexts: [DeliveryContext] = [
      .immediate, .main, .background, .queue(queue),
      .queue(DispatchQueue(label: "pool", attributes: .concurrent), independent: true),
      .executor(QueueExecutor(label: "converging")), .actor(tally),
    ]
    let listeners = contexts.flatMap { context in
      [BufferingPolicy.unbounded, .latest, .newest(3)].map { policy in
        let recorder = Recorder<Int>()
        return (recorder, publisher.subscribe(recorder, on: context, buffering: policy))
      }
    }
    let listening = AsyncGate()
    let looking = Task { [states = publisher.states(buffering: .latest)] in
      var last: LoadState<Int>?
      for await state in states {
        listening.open()
        last = state
        if state == .loaded(-1) { break }
      }
      return last
    }
    await listening.pass()
    await onAThread { [publisher] in
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        for number in 1...500 { publisher.updateData(thread * 1_000 + number) }
      }
    }
    publisher.updateData(-1)
    await publisher.drain()

    for (recorder, subscription) in listeners {
      let (statistics, versions) = (subscription.statistics, recorder.publications.map(\.version))
      #expect(statistics.lastVersion == 2_001, "\(subscription)")
      #expect(versions.last == 2_001, "\(subscription)")
      #expect(statistics.delivered + statistics.skipped == 2_002, "\(subscription)")
      #expect(statistics.delivered == versions.count, "\(subscription)")
      #expect(zip(versions, versions.dropFirst()).allSatisfy { $0 < $1 }, "\(subscription)")
      if subscription.buffering == .unbounded { #expect(versions == Array(0...2_001), "\(subscription)") }
    }
    #expect(await looking.value == .loaded(-1))
    withExtendedLifetime(tally) {}
  }
}
