import Dispatch
import SubPub
import SubPubTesting
import Testing

extension StateTests {
  @Suite("Policies and outcomes are values: compared, hashed and described")
  struct PolicyTests {
    @Test("buffering policies are told apart, and print as they are written")
    func buffering() {
      let policies: [BufferingPolicy] = [.unbounded, .latest, .newest(1), .newest(2)]
      #expect(Set(policies).count == policies.count)
      #expect(Set(policies + policies).count == policies.count)
      #expect(policies.map(\.description) == ["unbounded", "latest", "newest(1)", "newest(2)"])
    }

    @Test("duplicate policies are told apart, and print as they are written")
    func duplicates() {
      let policies: [DuplicatePolicy] = [.ignore, .replace, .replaceSameType, .allow]
      #expect(Set(policies + policies).count == 4)
      #expect(policies.map { "\($0)" } == ["ignore", "replace", "replaceSameType", "allow"])
    }

    @Test("outcomes are told apart, and print as they are written")
    func outcomes() {
      let outcomes: [CancelOutcome] = [.quiescent, .inFlight, .reentrant, .alreadyCancelled]
      #expect(Set(outcomes + outcomes).count == 4)
      #expect(outcomes.map { "\($0)" } == ["quiescent", "inFlight", "reentrant", "alreadyCancelled"])
    }
  }

  @Suite("Deliveries are equal when they name the same context")
  struct DeliveryValueTests {
    actor Counter {}

    @Test("each is equal to itself made anew, and to no other")
    func equality() {
      let (queue, other) = (DispatchQueue(label: "queue"), DispatchQueue(label: "queue"))
      let (executor, actor, neighbour) = (QueueExecutor(label: "executor"), Counter(), Counter())
      let make: [() -> DeliveryContext] = [
        { .immediate }, { .main }, { .background }, { .queue(queue) }, { .queue(queue, independent: true) },
        { .queue(other) }, { .executor(executor) }, { .executor(ManualExecutor.shared) }, { .actor(actor) },
        { .actor(neighbour) },
      ]
      for (first, left) in make.enumerated() {
        for (second, right) in make.enumerated() {
          #expect((left() == right()) == (first == second), "\(left()) and \(right())")
          if first == second { #expect(left().hashValue == right().hashValue) }
        }
      }
      #expect(Set(make.map { $0() } + make.map { $0() }).count == make.count)
    }

    @Test("the main queue is the main actor")
    func mainQueue() {
      #expect(DeliveryContext.queue(.main) == .main)
      #expect(DeliveryContext.queue(.main, independent: true) == .main)
    }

    @Test("a global queue is one queue, however often it is asked for")
    func globalQueue() {
      #expect(DeliveryContext.queue(.global()) == .queue(.global()))
      #expect(DeliveryContext.queue(.global()).hashValue == DeliveryContext.queue(.global()).hashValue)
      #expect(DeliveryContext.queue(.global(qos: .utility)) != .queue(.global(qos: .background)))
      #expect(DeliveryContext.queue(.global()) != .background)
    }

    @Test("they print as they are written, with the names of what they are given")
    func descriptions() {
      let (queue, actor) = (DispatchQueue(label: "disk"), Counter())
      let contexts: [DeliveryContext] = [.immediate, .main, .background]
      #expect(contexts.map(\.description) == ["immediate", "main", "background"])
      #expect("\(DeliveryContext.queue(queue))" == "queue(disk)")
      #expect("\(DeliveryContext.queue(queue, independent: true))" == "queue(disk, independent)")
      #expect("\(DeliveryContext.executor(ManualExecutor.shared))" == "executor(ManualExecutor)")
      #expect("\(DeliveryContext.actor(actor))" == "actor(Counter)")
      #expect("\(QueueExecutor(queue))" == "QueueExecutor(disk)")
    }

    @Test("an actor is held weakly; a delivery to it stays the value that it was")
    func required_2_05_actor() {
      weak var probe: Counter?
      let context: DeliveryContext
      do {
        let actor = Counter()
        probe = actor
        context = .actor(actor)
        withExtendedLifetime(actor) {}
      }
      #expect(probe == nil)
      #expect(context == context)
      #expect(Set([context, context]).count == 1)
      #expect("\(context)" == "actor(Counter)")
    }
  }
}

extension ManualExecutor {
  fileprivate static let shared = ManualExecutor()
}
