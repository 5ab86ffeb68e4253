import SubPub
import Testing

extension StateTests {
  @Suite("An id names one publisher, and prints its label")
  struct PublisherIDTests {
    @Test("no two publishers have one, not even with the same label, nor one after the other")
    func unique() {
      var ids: Set<PublisherID> = []
      for _ in 0..<100 { ids.insert(Publisher<Int>(label: "same").id) }
      #expect(ids.count == 100)
    }

    @Test("it equals itself, and so do its hashes")
    func hashing() {
      let (publisher, other) = (Publisher<Int>(label: "same"), Publisher<String>(label: "same"))
      #expect(publisher.id == publisher.id)
      #expect(publisher.id.hashValue == publisher.id.hashValue)
      #expect(publisher.id == publisher.current.source)
      #expect(publisher.id != other.id)
      #expect([publisher.id: 1, other.id: 2][publisher.id] == 1)
    }

    @Test("it prints the label, or else a number of its own")
    func description() {
      #expect("\(Publisher<Int>(label: "news").id)" == "news")
      #expect("\(Publisher<Int>(label: "").id)" == "")
      let (first, second) = (Publisher<Int>().id.description, Publisher<Int>().id.description)
      #expect(first.hasPrefix("publisher #"))
      #expect(Int(first.dropFirst("publisher #".count)) != nil)
      #expect(first != second)
    }

    @Test("delegate groups have ids as well: they show in their subscriptions")
    func groups() {
      final class Listener: Sendable {}
      let group = MulticastDelegate<Listener>(label: "group")
      let listener = Listener()
      #expect("\(group.add(listener, on: .immediate).source)" == "group")
      withExtendedLifetime(listener) {}
    }
  }
}
