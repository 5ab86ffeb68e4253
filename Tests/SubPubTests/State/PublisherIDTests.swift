import SubPub
import Testing

extension StateTests {
  @Suite("An ID names one publisher and prints its label")
  struct PublisherIDTests {
    @Test("no two publishers have the same ID, even if they have the same label and never live together")
    func unique() {
      var ids: Set<PublisherID> = []
      for _ in 0..<100 { ids.insert(Publisher<Int>(label: "same").id) }
      #expect(ids.count == 100)
      let (publisher, other) = (Publisher<Int>(label: "same"), Publisher<String>(label: "same"))
      #expect(publisher.id == publisher.current.source)
      #expect([publisher.id: 1, other.id: 2][publisher.id] == 1)
    }

    @Test("it prints the label of a publisher or a group of delegates, or a number if there is none")
    func description() {
      #expect("\(Publisher<Int>(label: "news").id)" == "news")
      #expect("\(Publisher<Int>(label: "").id)" == "")
      let group = MulticastDelegate<Listener>(label: "group")
      #expect("\(group.add(Listener(), on: .immediate).source)" == "group")
      let (first, second) = (Publisher<Int>().id.description, Publisher<Int>().id.description)
      #expect(first.hasPrefix("publisher #"))
      #expect(Int(first.dropFirst("publisher #".count)) != nil)
      #expect(first != second)
    }
  }
}
