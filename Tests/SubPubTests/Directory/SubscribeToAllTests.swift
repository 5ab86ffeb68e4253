import Dispatch
import SubPub
import SubPubTesting
import Testing

extension DirectoryTests {
  @Suite("subscribeToAll subscribes an object to every publisher, present and future")
  struct SubscribeToAllTests {
    let directory = PublisherDirectory()
    let listener = Listener()

    @Test("it receives the current and every later state of publishers that exist, are created or are registered")
    func required_2_01_standingAndFuture() {
      let standing = directory.publisher(of: Int.self)
      standing.updateData(1)
      directory.subscribeToAll(listener, on: .immediate)
      #expect(listener.lines == ["Int 1"])

      directory.publisher(of: Bool.self).updateData(true)
      #expect(listener.lines == ["Int 1", "Bool 0", "Bool 1"])
      let mine = Publisher<String>(label: "mine")
      mine.updateData("a")
      mine.updateData("b")
      directory.register(mine)
      mine.updateData("c")
      standing.reset()
      #expect(listener.lines == ["Int 1", "Bool 0", "Bool 1", "mine 2", "mine 3", "Int 2"])
    }

    @Test("publishers replay in the order in which they were listed, and a new one visits subscribers in their order")
    func required_2_07_order() {
      let standing = topics.map(directory.find)
      let order = Recorder<Int>()
      let listeners = (0..<20).map { number in Listener { _ in order.receive(.loaded(number)) } }
      for listener in listeners {
        directory.subscribeToAll(listener, on: .immediate)
        #expect(listener.notes == standing.map { Listener.Note(source: $0.id, version: 0) })
      }
      let before = order.states.count
      _ = directory.publisher(of: Int.self)
      #expect(order.states.dropFirst(before).compactMap(\.value) == Array(0..<20))
      // The directory holds them weakly, and an optimized build releases them after their last use.
      withExtendedLifetime(listeners) {}
    }

    @Test("a busy main actor's object receives the states of a publisher that another thread registers and releases")
    @MainActor func required_2_01_shortLived() async {
      let (directory, window) = (directory, Window())
      directory.subscribeToAll(window)
      OwnThread.runBlocking {
        let publisher = Publisher<Int>()
        directory.register(publisher)
        publisher.updateData(1)
      }
      await DispatchQueue.main.passed()
      #expect(window.versions == [0, 1])
    }

    @MainActor private final class Window: MainActorSubscriber {
      private(set) var versions: [UInt64] = []
      func receive(_ publication: any AnyPublication) { versions.append(publication.version) }
    }

    @Test("each publisher has a buffer of its own: the latest state of one doesn't replace that of another")
    func required_2_04_latestOfEach() {
      let (directory, executor) = (PublisherDirectory(), ManualExecutor())
      let (numbers, names) = (directory.publisher(of: Int.self), directory.publisher(of: String.self))
      let handle = directory.subscribeToAll(listener, on: .executor(executor), buffering: .latest)
      for number in 1...5 {
        numbers.updateData(number)
        names.updateData("\(number)")
      }
      executor.runAll()
      #expect((Set(listener.lines), listener.lines.count) == (["Int 5", "String 5"], 2))
      #expect(handle.subscriptions.map(\.statistics.skipped) == [5, 5])
    }

    @Test("the context can be an actor, whose release ends the subscription; the object can then subscribe again")
    func required_2_05_actor() {
      let (directory, executor) = (PublisherDirectory(), ManualExecutor())
      let numbers = directory.publisher(of: Int.self)
      let handle: DirectorySubscription
      do {
        let host = ManualHost(executor)
        handle = directory.subscribeToAll(listener, on: .actor(host))
        numbers.updateData(1)
        #expect(listener.lines == [])
        executor.runAll()
        #expect((listener.lines, handle.isActive) == (["Int 0", "Int 1"], true))
        #expect(directory.subscribeToAll(listener, on: .immediate) === handle)
        withExtendedLifetime(host) {}
      }
      #expect(!handle.isActive)
      let second = directory.subscribeToAll(listener, on: .immediate)
      #expect(second !== handle)
      #expect(listener.lines == ["Int 0", "Int 1", "Int 1"])
      #expect(handle.cancel() == .alreadyCancelled)
    }

    @Test("a subscriber can use the directory inside its replay")
    func required_4_02_inside() {
      _ = directory.publisher(of: Int.self)
      let listener = Listener { publication in
        switch publication {
        case is Publication<Int>: directory.publisher(of: String.self).updateData("a")
        case is Publication<String>: directory.register(Publisher<Bool>(label: "inside"))
        default: break
        }
        OwnThread.runBlocking { _ = directory.publisher(of: Double.self) }
      }
      let handle = directory.subscribeToAll(listener, on: .immediate)
      #expect(directory.subscribeToAll(listener, on: .immediate) === handle)
      #expect(Set(listener.lines) == ["Int 0", "String 0", "inside 0", "Double 0", "String 1"])
    }
  }
}
