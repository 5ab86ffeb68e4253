import Dispatch
import SubPub
import SubPubTesting
import Testing

extension StateTests {
  @Suite("Delivery contexts are equal if they name the same context")
  struct DeliveryContextTests {
    actor Counter {}

    @Test("each equals itself made anew, and no other, and every name of the main actor is the main actor")
    func required_2_07_objects() {
      let (queue, other) = (DispatchQueue(label: "queue"), DispatchQueue(label: "queue"))
      let (executor, another) = (QueueExecutor(label: "executor"), ManualExecutor())
      let (actor, neighbor) = (Counter(), Counter())
      let make: [() -> DeliveryContext] = [
        { .immediate }, { .main }, { .background }, { .queue(queue) }, { .queue(queue, independent: true) },
        { .queue(other) }, { .queue(.global()) }, { .queue(.global(qos: .background)) },
        { .queue(.global(qos: .utility)) }, { .executor(executor) }, { .executor(another) }, { .actor(actor) },
        { .actor(neighbor) },
      ]
      for (first, left) in make.enumerated() {
        for (second, right) in make.enumerated() {
          #expect((left() == right()) == (first == second), "\(left()) and \(right())")
          if first == second { #expect(left().hashValue == right().hashValue) }
        }
      }
      #expect(Set(make.map { $0() } + make.map { $0() }).count == make.count)
      let mains: [DeliveryContext] = [.actor(MainActor.shared), .queue(.main), .queue(.main, independent: true)]
      for main in mains { #expect(main == .main) }
    }

    @Test("a context doesn't keep its actor, and stays the same, even if another actor gets the address")
    func required_2_05_2_07_deadActor() {
      var contexts: [DeliveryContext] = []
      for _ in 0..<1_000 {
        weak var probe: Counter?
        do {
          let actor = Counter()
          probe = actor
          contexts += [.actor(actor), .actor(actor)]
          withExtendedLifetime(actor) {}
        }
        #expect(probe == nil)
      }
      for index in stride(from: 0, to: contexts.count, by: 2) { #expect(contexts[index] == contexts[index + 1]) }
      #expect(Set(contexts).count == 1_000)
      #expect("\(contexts[0])" == "actor(Counter)")
    }

    @Test("they print as they are written, with the names of what they are given")
    func descriptions() {
      let (queue, actor) = (DispatchQueue(label: "disk"), Counter())
      let contexts: [DeliveryContext] = [.immediate, .main, .background]
      #expect(contexts.map(\.description) == ["immediate", "main", "background"])
      #expect("\(DeliveryContext.queue(queue))" == "queue(disk)")
      #expect("\(DeliveryContext.queue(queue, independent: true))" == "queue(disk, independent)")
      #expect("\(DeliveryContext.executor(ManualExecutor()))" == "executor(ManualExecutor)")
      #expect("\(DeliveryContext.actor(actor))" == "actor(Counter)")
      #expect("\(QueueExecutor(queue))" == "QueueExecutor(disk)")
    }
  }
}
