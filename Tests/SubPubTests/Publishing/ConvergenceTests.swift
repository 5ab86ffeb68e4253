import Dispatch
import SubPub
import SubPubTesting
import Testing

extension PublishingTests {
  @Suite("Everyone ends with the publisher's last version, whatever the context and the policy")
  struct ConvergenceTests {
    static let policies: [BufferingPolicy] = [.unbounded, .latest, .newest(1), .newest(3), .newest(1_000)]
    static let rounds = 10
    static let transitions = 400

    actor Context {}

    /// A subscription and what its subscriber received.
    struct Listener {
      let recorder = Recorder<Int>()
      let subscription: Subscription

      init(_ publisher: Publisher<Int>, on context: DeliveryContext, _ policy: BufferingPolicy) {
        subscription = publisher.subscribe(recorder, on: context, buffering: policy)
      }
    }

    /// How the iteration of a sequence ended.
    struct Iteration: Sendable {
      let policy: BufferingPolicy
      let last: LoadState<Int>?
      let statistics: Subscription.Statistics
    }

    /// Publishes from four threads, with every operation.
    static func publish(at publisher: Publisher<Int>) async throws {
      try await Race.run(threads: 4) { thread in
        for number in 0..<transitions {
          switch (number + thread) % 8 {
          case 0: publisher.startLoading()
          case 1: publisher.setError(Failure.offline)
          case 2: publisher.update { .loaded(($0.value ?? 0) + 1) }
          case 3: publisher.republish()
          case 4: publisher.reset()
          case 5: publisher.setState(.loading(previous: number))
          default: publisher.updateData(number)
          }
        }
      }
    }

    @Test("subscribers on all contexts converge while four threads publish, under every policy")
    func stochastic_1_03_convergence() async throws {
      for _ in 0..<Self.rounds {
        let publisher = Publisher<Int>()
        let context = Context()
        let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let contexts: [DeliveryContext] = [
          .immediate, .main, .background, .queue(DispatchQueue(label: "serial")), .queue(concurrent),
          .queue(concurrent, independent: true), .executor(QueueExecutor(label: "executor")),
          .executor(globalConcurrentExecutor), .actor(context),
        ]
        let listeners = contexts.flatMap { context in
          Self.policies.map { Listener(publisher, on: context, $0) }
        }
        try await Self.publish(at: publisher)
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

    @Test("iterated sequences end with the last state, too")
    func stochastic_1_03_sequences() async throws {
      for _ in 0..<Self.rounds {
        let publisher = Publisher<Int>()
        let iterations = try await withThrowingTaskGroup(of: Iteration.self) { group in
          for policy in Self.policies {
            let states = publisher.states(buffering: policy)
            group.addTask { await Self.iterate(states, policy) }
          }
          try await Self.publish(at: publisher)
          publisher.updateData(-1)
          await publisher.drain()
          return try await group.reduce(into: [Iteration]()) { $0.append($1) }
        }
        let last = UInt64(4 * Self.transitions + 1)
        #expect(iterations.count == Self.policies.count)
        for iteration in iterations {
          #expect(iteration.last == .loaded(-1))
          #expect(iteration.statistics.lastVersion == last, "\(iteration.policy)")
          #expect(iteration.statistics.pending == 0, "\(iteration.policy)")
          if iteration.policy == .unbounded { #expect(iteration.statistics.skipped == 0) }
        }
      }
    }

    /// Iterates up to the number that is published last.
    private static func iterate(_ states: StateSequence<Int>, _ policy: BufferingPolicy) async -> Iteration {
      var iterator = states.makeAsyncIterator()
      var last: LoadState<Int>?
      while last != .loaded(-1), let state = await iterator.next() { last = state }
      return Iteration(policy: policy, last: last, statistics: iterator.statistics)
    }

    @Test("delegates on all contexts receive every call, in one order")
    func stochastic_1_02_delegates() async throws {
      let group = MulticastDelegate<Recorder<Int>>()
      let context = Context()
      let recorders = (0..<5).map { _ in Recorder<Int>() }
      let contexts: [DeliveryContext] = [
        .immediate, .main, .background, .queue(DispatchQueue(label: "serial")), .actor(context),
      ]
      for (recorder, context) in zip(recorders, contexts) { group.add(recorder, on: context) }
      try await Race.run(threads: 4) { thread in
        for number in 0..<Self.transitions { group.call { $0.receive(.loaded(thread * 1_000 + number)) } }
      }
      await group.drain()
      #expect(recorders[0].states.count == 4 * Self.transitions)
      for recorder in recorders { #expect(recorder.states == recorders[0].states) }
      withExtendedLifetime(context) {}
    }
  }
}
