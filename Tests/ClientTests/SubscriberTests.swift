import Dispatch
import SubPub
import Testing

extension ClientTests {
  @Suite("Subscriber protocols with a type: a contract on both sides")
  struct TypedSubscriberTests {
    /// A screen that can subscribe only to lists of products.
    @MainActor final class ListViewController: MainActorTypedSubscriber {
      private(set) var rows: [String] = []
      private(set) var isSpinning = false
      private(set) var alert: String?

      func receive(_ state: LoadState<[Product]>) {
        Here.assertMainActor()
        isSpinning = false
        switch state {
        case .unknown: rows = []
        case .loading: isSpinning = true
        case .loaded(let models): rows = models.map(\.name)
        case .error(let error, _): alert = "\(error)"
        }
      }
    }

    /// A subscriber that works off the main actor.
    nonisolated final class SearchIndex: TypedSubscriber {
      let queue = DispatchQueue(label: "search")
      let words = Journal<[String]>()

      func receive(_ state: LoadState<[Product]>) {
        Here.assertQueue(queue)
        if case .loaded(let products) = state { words.add(products.map(\.name)) }
      }
    }

    /// A class whose instances are all equal, and which isn't hashable.
    nonisolated final class Log: TypedSubscriber, Equatable {
      let journal = Journal<String>()

      static func == (left: Log, right: Log) -> Bool { true }

      func receive(_ state: LoadState<[Product]>) { Issue.record("the publication is asked for") }

      func receive(_ publication: Publication<[Product]>) {
        journal.add("\(publication.phase) of \(publication.source)")
      }
    }

    @Test("one publisher broadcasts to many subscribers of any class, without a type-erasing wrapper")
    @MainActor func oneToMany() async {
      let publisher = Publisher<[Product]>(label: "news")
      let (screens, index, log) = ([ListViewController(), ListViewController()], SearchIndex(), Log())
      for screen in screens { publisher.subscribe(screen) }
      let others: [any TypedSubscriber<[Product]>] = [index, log]
      for other in others {
        publisher.subscribe(other, on: .queue(index.queue), buffering: .unbounded, ifDuplicate: .replaceSameType)
      }
      publisher.startLoading()
      #expect(!screens[0].isSpinning, "never before the publish returns")
      await publisher.drain()
      for screen in screens { #expect(screen.isSpinning) }
      publisher.updateData([Product(name: "apple"), Product(name: "pear")])
      publisher.setError(Failure.offline)
      await publisher.drain()
      for screen in screens { #expect((screen.rows, screen.alert) == (["apple", "pear"], "offline")) }
      #expect(index.words.entries == [["apple", "pear"]])
      #expect(log.journal.entries == ["unknown of news", "loading of news", "loaded of news", "error of news"])
    }

    /// Any thread, through both protocols.
    nonisolated final class TwoFaces: Subscriber, TypedSubscriber {
      let queue = DispatchQueue(label: "two faces")
      let faces = Journal<String>()

      func receive(_ publication: any AnyPublication) {
        Here.assertQueue(queue)
        faces.add("type-less \(publication.version)")
      }

      func receive(_ publication: Publication<Int>) {
        Here.assertQueue(queue)
        faces.add("typed \(publication.version)")
      }
    }

    @MainActor final class TwoFacedScreen: MainActorSubscriber, MainActorTypedSubscriber {
      private(set) var faces: [String] = []

      func receive(_ publication: any AnyPublication) {
        Here.assertMainActor()
        faces.append("type-less \(publication.version)")
      }

      func receive(_ publication: Publication<Int>) {
        Here.assertMainActor()
        faces.append("typed \(publication.version)")
      }
    }

    @Test("a class with both faces gets the typed one, and the other for the asking or from another type")
    @MainActor func twoFaces() async {
      let (publisher, both, screen) = (Publisher<Int>(), TwoFaces(), TwoFacedScreen())
      publisher.subscribe(both, on: .queue(both.queue))
      publisher.subscribe(both as any Subscriber, on: .queue(both.queue))
      publisher.subscribe(screen, buffering: .unbounded, ifDuplicate: .allow)
      publisher.subscribe(screen as any MainActorSubscriber)
      await publisher.drain()
      #expect(both.faces.entries == ["typed 0", "type-less 0"])
      #expect(screen.faces == ["typed 0", "type-less 0"])
      let names = Publisher<String>()
      names.subscribe(both, on: .queue(both.queue), buffering: .unbounded, ifDuplicate: .ignore)
      names.subscribe(screen, buffering: .unbounded, ifDuplicate: .replace)
      await names.drain()
      #expect(both.faces.entries.last == "type-less 0")
      #expect(screen.faces.last == "type-less 0")
    }
  }
}
