import Dispatch
import SubPub
import Testing

extension StateTests {
  @Suite("Two names of one context are one context")
  struct DeliveryTests {
    private actor Host {}

    @Test("the main actor, by any name")
    func required_2_07_mainActor() {
      #expect(DeliveryContext.actor(MainActor.shared) == .main)
      #expect(DeliveryContext.queue(.main) == .main)
      #expect(DeliveryContext.queue(.main, independent: true) == .main)
    }

    @Test("a queue or an actor equals itself, and no other")
    func required_2_07_objects() {
      let (queue, other) = (DispatchQueue(label: "same"), DispatchQueue(label: "same"))
      #expect(DeliveryContext.queue(queue) == .queue(queue))
      #expect(DeliveryContext.queue(queue) != .queue(other))
      #expect(DeliveryContext.queue(queue) != .queue(queue, independent: true))
      #expect(DeliveryContext.queue(.global()) == .queue(.global()))
      #expect(DeliveryContext.queue(.global()) != .queue(.global(qos: .background)))
      let (actor, another) = (Host(), Host())
      #expect(DeliveryContext.actor(actor) == .actor(actor))
      #expect(DeliveryContext.actor(actor) != .actor(another))
      #expect(Set([DeliveryContext.actor(actor), .actor(actor), .main]).count == 2)
    }

    @Test("an actor's context stays what it is when the actor dies, and isn't that of an actor at the old address")
    func required_2_07_deadActor() {
      var (contexts, addresses) = ([DeliveryContext](), Set<ObjectIdentifier>())
      for _ in 0..<1_000 {
        let host = Host()
        let (context, same) = (DeliveryContext.actor(host), DeliveryContext.actor(host))
        #expect(context == same)
        addresses.insert(ObjectIdentifier(host))
        contexts += [context, same]
      }
      for index in stride(from: 0, to: contexts.count, by: 2) { #expect(contexts[index] == contexts[index + 1]) }
      #expect(Set(contexts).count == 1_000)
    }
  }
}
