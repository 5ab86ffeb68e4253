import Dispatch
import SubPub
import Testing

extension StateTests {
  @Suite("Two names of one context are one context")
  struct DeliveryTests {
    private actor Host {}

    @Test("the main actor, by any name")
    func required_2_07_mainActor() {
      #expect(Delivery.actor(MainActor.shared) == .main)
      #expect(Delivery.queue(.main) == .main)
      #expect(Delivery.queue(.main, independent: true) == .main)
    }

    @Test("a queue or an actor equals itself, and no other")
    func required_2_07_objects() {
      let (queue, other) = (DispatchQueue(label: "same"), DispatchQueue(label: "same"))
      #expect(Delivery.queue(queue) == .queue(queue))
      #expect(Delivery.queue(queue) != .queue(other))
      #expect(Delivery.queue(queue) != .queue(queue, independent: true))
      #expect(Delivery.queue(.global()) == .queue(.global()))
      #expect(Delivery.queue(.global()) != .queue(.global(qos: .background)))
      let (actor, another) = (Host(), Host())
      #expect(Delivery.actor(actor) == .actor(actor))
      #expect(Delivery.actor(actor) != .actor(another))
      #expect(Set([Delivery.actor(actor), .actor(actor), .main]).count == 2)
    }

    @Test("an actor's context stays what it is when the actor dies, and isn't that of an actor at the old address")
    func required_2_07_deadActor() {
      var (contexts, addresses) = ([Delivery](), Set<ObjectIdentifier>())
      for _ in 0..<1_000 {
        let host = Host()
        let (context, same) = (Delivery.actor(host), Delivery.actor(host))
        #expect(context == same)
        addresses.insert(ObjectIdentifier(host))
        contexts += [context, same]
      }
      for index in stride(from: 0, to: contexts.count, by: 2) { #expect(contexts[index] == contexts[index + 1]) }
      #expect(Set(contexts).count == 1_000)
    }
  }
}
