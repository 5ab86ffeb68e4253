import SubPub
import Testing

extension StateTests {
  @Suite("A publication is one accepted state, with its version and source")
  struct PublicationTests {
    @Test("it shows what was published, with and without its type")
    func interfaces() {
      let publisher = Publisher<[Int]>(label: "numbers")
      publisher.updateData([1, 2])
      let typed = publisher.current
      #expect(typed.state == .loaded([1, 2]))
      #expect(typed.version == 1)
      #expect(typed.source == publisher.id)

      let untyped: any AnyPublication = typed
      #expect(untyped.version == 1)
      #expect(untyped.source == publisher.id)
      #expect(untyped.phase == .loaded)
      #expect(untyped.error == nil)
      #expect(untyped.anyValue as? [Int] == [1, 2])
      #expect(ObjectIdentifier(untyped.valueType) == ObjectIdentifier([Int].self))
      #expect((untyped as? Publication<[Int]>) === typed)
      #expect((untyped as? Publication<[String]>) == nil)
    }

    @Test("previous data and errors are available without their types")
    func previousData() {
      let publisher = Publisher<Int>()
      let first: any AnyPublication = publisher.current
      #expect(first.phase == .unknown)
      #expect(first.anyValue == nil)
      #expect(first.version == 0)
      publisher.setState(.error(Failure.denied, previous: 4))
      let second: any AnyPublication = publisher.current
      #expect(second.phase == .error)
      #expect(second.error as? Failure == .denied)
      #expect(second.anyValue as? Int == 4)
      publisher.startLoading()
      let third: any AnyPublication = publisher.current
      #expect(third.phase == .loading)
      #expect(third.error == nil)
      #expect(third.anyValue as? Int == 4)
    }

    @Test("it doesn't change with its publisher, and outlives it")
    func immutable() {
      var publisher: Publisher<Int>? = Publisher<Int>(label: "numbers")
      publisher?.updateData(1)
      let publication = publisher?.current
      publisher?.updateData(2)
      #expect(publication?.state == .loaded(1))
      #expect(publication?.version == 1)
      publisher = nil
      #expect(publication?.state == .loaded(1))
      #expect(publication?.source.description == "numbers")
    }

    @Test("it prints its source, version and state")
    func description() {
      let publisher = Publisher<Int>(label: "news")
      #expect("\(publisher.current)" == "news 0: unknown")
      publisher.updateData(7)
      #expect("\(publisher.current)" == "news 1: loaded(7)")
    }
  }

  @Suite("An ID names one publisher and prints its label")
  struct PublisherIDTests {
    @Test("no two publishers have the same ID, even if they have the same label and never live together")
    func unique() {
      var ids: Set<PublisherID> = []
      for _ in 0..<100 { ids.insert(Publisher<Int>(label: "same").id) }
      #expect(ids.count == 100)
    }

    @Test("it equals itself and can be a key")
    func hashing() {
      let (publisher, other) = (Publisher<Int>(label: "same"), Publisher<String>(label: "same"))
      #expect(publisher.id == publisher.id)
      #expect(publisher.id.hashValue == publisher.id.hashValue)
      #expect(publisher.id == publisher.current.source)
      #expect(publisher.id != other.id)
      #expect([publisher.id: 1, other.id: 2][publisher.id] == 1)
    }

    @Test("it prints the label, or a number if there is none")
    func description() {
      #expect("\(Publisher<Int>(label: "news").id)" == "news")
      #expect("\(Publisher<Int>(label: "").id)" == "")
      let (first, second) = (Publisher<Int>().id.description, Publisher<Int>().id.description)
      #expect(first.hasPrefix("publisher #"))
      #expect(Int(first.dropFirst("publisher #".count)) != nil)
      #expect(first != second)
    }

    @Test("a group of delegates has an ID too, which its subscriptions show")
    func groups() {
      final class Listener: Sendable {}
      let group = MulticastDelegate<Listener>(label: "group")
      let listener = Listener()
      #expect("\(group.add(listener, on: .immediate).source)" == "group")
      withExtendedLifetime(listener) {}
    }
  }
}
