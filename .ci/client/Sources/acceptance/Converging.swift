import Dispatch
import SubPub
import SubPubTesting

/// Four threads publish to subscribers on every context, under every policy: all end with the last version (1.03).
func converging() async {
  let publisher = Publisher<Int>()
  let tally = Tally()
  let deliveries: [DeliveryContext] = [
    .immediate, .main, .background, .queue(Here.makeQueue("converging")),
    .queue(Here.makeQueue("pool", concurrent: true), independent: true),
    .executor(QueueExecutor(label: "converging")), .actor(tally),
  ]
  let policies: [BufferingPolicy] = [.unbounded, .latest, .newest(3)]
  var recorders: [Recorder<Int>] = []
  var subscriptions: [Subscription] = []
  for delivery in deliveries {
    for policy in policies {
      let recorder = Recorder<Int>()
      recorders.append(recorder)
      subscriptions.append(publisher.subscribe(recorder, on: delivery, buffering: policy))
    }
  }
  let sequence = publisher.states(buffering: .latest)
  let looking = Task {
    var last: LoadState<Int>?
    for await state in sequence {
      last = state
      if state == .loaded(-1) { break }
    }
    return last
  }

  await onAThread {
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for number in 1...500 { publisher.updateData(thread * 1_000 + number) }
    }
  }
  publisher.updateData(-1)
  await publisher.drain()

  for (subscription, recorder) in zip(subscriptions, recorders) {
    let statistics = subscription.statistics
    expectEqual(statistics.lastVersion, 2_001, "the last version of \(subscription)")
    expectEqual(recorder.publications.last?.version, 2_001, "what \(subscription) saw last")
    expectEqual(statistics.delivered + statistics.skipped, 2_002, "delivered and skipped by \(subscription)")
    expectEqual(statistics.delivered, recorder.publications.count, "delivered by \(subscription)")
    let versions = recorder.publications.map(\.version)
    expect(zip(versions, versions.dropFirst()).allSatisfy { $0 < $1 }, "versions of \(subscription) increase")
    if subscription.buffering == .unbounded {
      expectEqual(versions, Array(0...2_001), "\(subscription) sees all")
    }
  }
  expectEqual(await looking.value, .loaded(-1), "a sequence ends with the last state")
  withExtendedLifetime(tally) {}
  passed("convergence of every context and policy, published to from four threads")
}
