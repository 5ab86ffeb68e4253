import Dispatch
import SubPub
import SubPubTesting
import Testing

extension PublishingTests {
  @Suite("Whatever the context and the policy: everyone ends with the publisher's last version")
  struct ConvergenceTests {
    static let policies: [BufferingPolicy] = [
      .unbounded, .latest, .newest(1), .newest(3), .newest(1_000),
    ]
    static let rounds = 10
    static let transitions = 400

    actor Context {}

    /// Somebody who listens, and what it heard.
    struct Listener {
      let recorder = Recorder<Int>()
      let subscription: Subscription

      init(_ publisher: Publisher<Int>, on context: DeliveryContext, _ policy: BufferingPolicy) {
        subscription = publisher.subscribe(recorder, on: context, buffering: policy)
      }
    }

    /// An iterated sequence, and what it gave.
    struct Reading: Sendable {
      let policy: BufferingPolicy
      let last: LoadState<Int>?
      let statistics: Subscription.Statistics
    }

    /// Any of the operations, from one of four threads.
    static func publish(_ number: Int, at publisher: Publisher<Int>) {
      switch number % 8 {
      case 0: publisher.startLoading()
      case 1: publisher.setError(Failure.offline)
      case 2: publisher.update { .loaded(($0.value ?? 0) + 1) }
      case 3: publisher.republish()
      case 4: publisher.reset()
      case 5: publisher.setState(.loading(previous: number))
      default: publisher.updateData(number)
      }
    }

    @Test("four threads publish to subscribers on all contexts at once, under every policy")
    func stochastic_1_03_convergence() async {
      for _ in 0..<Self.rounds {
        let publisher = Publisher<Int>()
        let context = Context()
        let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let deliveries: [DeliveryContext] = [
          .immediate, .main, .background, .queue(DispatchQueue(label: "serial")), .queue(concurrent),
          .queue(concurrent, independent: true), .executor(QueueExecutor(label: "executor")),
          .executor(globalConcurrentExecutor), .actor(context),
        ]
        let listeners = deliveries.flatMap { context in
          Self.policies.map { Listener(publisher, on: context, $0) }
        }
        await race(threads: 4) { thread in
          for number in 0..<Self.transitions { Self.publish(number + thread, at: publisher) }
        }
        await publisher.drain()

        let last = UInt64(4 * Self.transitions)
        #expect(publisher.current.version == last)
        for listener in listeners { check(listener, last: last, state: publisher.state) }
        withExtendedLifetime(context) {}
      }
    }

    private func check(_ listener: Listener, last: UInt64, state: LoadState<Int>) {
      let statistics = listener.subscription.statistics
      let versions = listener.recorder.publications.map(\.version)
      let comment = Comment(rawValue: "\(listener.subscription)")
      #expect(statistics.lastVersion == last, comment)
      #expect(versions.last == last, comment)
      #expect(listener.recorder.states.last == state, comment)
      #expect(statistics.pending == 0, comment)
      #expect(statistics.delivered == versions.count, comment)
      #expect(statistics.delivered + statistics.skipped == Int(last) + 1, comment)
      #expect(zip(versions, versions.dropFirst()).allSatisfy { $0 < $1 }, comment)
      switch listener.subscription.buffering {
      case .unbounded: #expect(versions == Array(0...last), comment)
      case .latest: #expect(statistics.highWater <= 1, comment)
      case .newest(let bound): #expect(statistics.highWater <= bound, comment)
      }
    }

    @Test("sequences that are iterated meanwhile end with the last state as well")
    func stochastic_1_03_sequences() async {
      for _ in 0..<Self.rounds {
        let publisher = Publisher<Int>()
        let readings = await withTaskGroup(of: Reading.self) { group in
          for policy in Self.policies {
            let states = publisher.states(buffering: policy)
            group.addTask { await Self.read(states, policy) }
          }
          await race(threads: 4) { thread in
            for number in 0..<Self.transitions { Self.publish(number + thread, at: publisher) }
          }
          publisher.updateData(-1)
          await publisher.drain()
          return await group.reduce(into: [Reading]()) { $0.append($1) }
        }
        let last = UInt64(4 * Self.transitions + 1)
        #expect(readings.count == Self.policies.count)
        for reading in readings {
          #expect(reading.last == .loaded(-1))
          #expect(reading.statistics.lastVersion == last, "\(reading.policy)")
          #expect(reading.statistics.pending == 0, "\(reading.policy)")
          if reading.policy == .unbounded { #expect(reading.statistics.skipped == 0) }
        }
      }
    }

    /// Iterates until the number that is published last.
    private static func read(_ states: StateSequence<Int>, _ policy: BufferingPolicy) async -> Reading {
      var iterator = states.makeAsyncIterator()
      var last: LoadState<Int>?
      while last != .loaded(-1), let state = await iterator.next() { last = state }
      return Reading(policy: policy, last: last, statistics: iterator.statistics)
    }

    @Test("delegates on all contexts have had every call, in one order")
    func stochastic_1_02_delegates() async {
      let group = MulticastDelegate<Recorder<Int>>()
      let context = Context()
      let recorders = (0..<5).map { _ in Recorder<Int>() }
      let deliveries: [DeliveryContext] = [
        .immediate, .main, .background, .queue(DispatchQueue(label: "serial")), .actor(context),
      ]
      for (recorder, context) in zip(recorders, deliveries) { group.add(recorder, on: context) }
      await race(threads: 4) { thread in
        for number in 0..<Self.transitions { group.call { $0.receive(.loaded(thread * 1_000 + number)) } }
      }
      await group.drain()
      #expect(recorders[0].states.count == 4 * Self.transitions)
      for recorder in recorders { #expect(recorder.states == recorders[0].states) }
      withExtendedLifetime(context) {}
    }
  }
}
