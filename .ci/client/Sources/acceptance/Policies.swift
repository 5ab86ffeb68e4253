import SubPub
import SubPubTesting

func buffering() {
  let policies: [(BufferingPolicy, [UInt64], highWater: Int)] = [
    (.unbounded, [0, 1, 2, 3, 4, 5], 6),
    (.latest, [5], 1),
    (.newest(2), [4, 5], 2),
    (.newest(10), [0, 1, 2, 3, 4, 5], 6),
    (.newest(1), [5], 1),
  ]
  for (policy, expected, highWater) in policies {
    let publisher = Publisher<Int>()
    let executor = ManualExecutor()
    let recorder = Recorder<Int>()
    let subscription = publisher.subscribe(recorder, on: .executor(executor), buffering: policy)
    for number in 1...5 { publisher.updateData(number) }

    let waiting: Subscription.Statistics = subscription.statistics
    expectEqual(waiting.pending, expected.count, "pending with \(policy)")
    expectEqual(waiting.delivered, 0, "delivered with \(policy)")
    expectEqual(waiting.skipped, 6 - expected.count, "skipped with \(policy)")
    expectEqual(waiting.lastVersion, nil, "last version with \(policy)")

    executor.runAll()
    let served = subscription.statistics
    expectEqual(recorder.publications.map(\.version), expected, "delivered with \(policy)")
    expectEqual(served.pending, 0, "pending after \(policy)")
    expectEqual(served.delivered, expected.count, "delivered after \(policy)")
    expectEqual(served.skipped, 6 - expected.count, "skipped after \(policy)")
    expectEqual(served.highWater, highWater, "high water of \(policy)")
    expectEqual(served.lastVersion, 5, "last version after \(policy)")
    expectEqual(Set([waiting, served, served]).count, 2, "statistics are Hashable")
    expectEqual(subscription.buffering, policy, "the policy")
    expectEqual(subscription.cancel(), .quiescent, "the end")
  }
  expectEqual(Set(policies.map(\.0)).count, policies.count, "policies are Hashable")
  passed("BufferingPolicy and Statistics")
}

func duplicates() async {
  let publisher = Publisher<Int>()
  let first = Recorder<Int>()
  let second = Recorder<Int>()
  let third = Recorder<Int>()

  let standing = publisher.subscribe(first, on: .immediate)
  let ignored = publisher.subscribe(first, on: .background, buffering: .latest, ifDuplicate: .ignore)
  expectEqual(ignored, standing, "ignore: the standing subscription")
  expectEqual(ignored.context, .immediate, "ignore: its context")
  expectEqual(ignored.buffering, .unbounded, "ignore: its policy")
  expectEqual(first.states.count, 1, "ignore: no replay")

  let extra = publisher.subscribe(first, on: .immediate, ifDuplicate: .allow)
  expect(extra != standing, "allow: one more")
  expectEqual(publisher.subscriberCount, 2, "allow: two")

  let replacing = publisher.subscribe(first, on: .immediate, ifDuplicate: .replace)
  expect(!standing.isActive && !extra.isActive, "replace: the old ones end")
  expect(replacing.isActive, "replace: the new one stands")
  expectEqual(publisher.subscriberCount, 1, "replace: one")

  let neighbor = publisher.subscribe(second, on: .immediate)
  let successor = publisher.subscribe(third, on: .immediate, ifDuplicate: .replaceSameType)
  expect(!replacing.isActive && !neighbor.isActive, "replaceSameType: every one of the class ends")
  expectEqual(publisher.subscriptions, [successor], "replaceSameType: the new one stands")
  let policies: Set<DuplicatePolicy> = [.ignore, .replace, .replaceSameType, .allow]
  expectEqual(policies.count, 4, "policies are Hashable")
  withExtendedLifetime((first, second, third)) {}
  passed("DuplicatePolicy")
}
