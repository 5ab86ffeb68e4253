import SubPub
import Testing

extension StateTests {
  @Suite("A publication is one accepted state, with its version and source")
  struct PublicationTests {
    @Test("it shows what was published, with and without its type")
    func interfaces() {
      let publisher = Publisher<[Int]>(label: "numbers")
      let first: any AnyPublication = publisher.current
      #expect((first.phase, first.version) == (.unknown, 0))
      #expect(first.anyValue == nil)
      publisher.updateData([1, 2])
      let typed = publisher.current
      #expect(typed.state == .loaded([1, 2]))
      let loaded: any AnyPublication = typed
      #expect((loaded.phase, loaded.version) == (.loaded, 1))
      #expect((loaded as? Publication<[Int]>) === typed)
      #expect((loaded as? Publication<[String]>) == nil)
      #expect(ObjectIdentifier(loaded.valueType) == ObjectIdentifier([Int].self))
      publisher.setError(Failure.denied)
      let failed: any AnyPublication = publisher.current
      #expect(failed.phase == .error)
      #expect(failed.error as? Failure == .denied)
      publisher.startLoading()
      let loading: any AnyPublication = publisher.current
      #expect(loading.phase == .loading)
      for publication in [loaded, failed, loading] {
        #expect(publication.anyValue as? [Int] == [1, 2])
        #expect(publication.source == publisher.id)
        #expect((publication.error == nil) == (publication.phase != .error))
      }
    }
  }

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
