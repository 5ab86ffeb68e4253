import SubPub
import Testing

extension StateTests {
  @Suite("A publication is one accepted state, with its version and source")
  struct PublicationTests {
    @Test("it shows what was published, with and without its type")
    func faces() {
      let publisher = Publisher<[Int]>(label: "numbers")
      publisher.updateData([1, 2])
      let typed = publisher.current
      #expect(typed.state == .loaded([1, 2]))
      #expect(typed.version == 1)
      #expect(typed.source == publisher.id)

      let typeless: any AnyPublication = typed
      #expect(typeless.version == 1)
      #expect(typeless.source == publisher.id)
      #expect(typeless.phase == .loaded)
      #expect(typeless.error == nil)
      #expect(typeless.anyValue as? [Int] == [1, 2])
      #expect(ObjectIdentifier(typeless.valueType) == ObjectIdentifier([Int].self))
      #expect((typeless as? Publication<[Int]>) === typed)
      #expect((typeless as? Publication<[String]>) == nil)
    }

    @Test("previous data and errors show without their types")
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

    @Test("a loaded value that is nil is a value")
    func optionalValue() {
      let publisher = Publisher<Int?>()
      publisher.updateData(nil)
      let publication: any AnyPublication = publisher.current
      #expect(publication.anyValue != nil)
      #expect(ObjectIdentifier(publication.valueType) == ObjectIdentifier(Int?.self))
    }

    @Test("it stays what it is when the publisher goes on, and outlives it")
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

    @Test("it describes itself with source, version and state")
    func description() {
      let publisher = Publisher<Int>(label: "news")
      #expect("\(publisher.current)" == "news 0: unknown")
      publisher.updateData(7)
      #expect("\(publisher.current)" == "news 1: loaded(7)")
    }
  }
}
