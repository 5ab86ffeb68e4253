import Dispatch
import SubPub
import Testing

extension ClientTests {
  @Suite("Closures: one object has a typed method for each of many publishers, and conforms to nothing")
  struct ClosureTests {
    let publisher = Publisher<Int>()
    let listener = Listener()

    /// A class that any thread may use.
    nonisolated final class Desk: Sendable {
      let queue = DispatchQueue(label: "desk")
      let taken = Journal<LoadState<Int>>()
      let names = Journal<LoadState<String>>()

      func take(_ state: LoadState<Int>) {
        Here.assertQueue(queue)
        taken.add(state)
      }

      func name(_ state: LoadState<String>) {
        Here.assertQueue(queue)
        names.add(state)
      }
    }

    @Test("closures that call methods run on the context that is named")
    func onAQueue() async {
      let (names, desk) = (Publisher<String>(), Desk())
      let taking = publisher.subscribe(desk, on: .queue(desk.queue)) { $0.take($1) }
      names.subscribe(desk, on: .queue(desk.queue), buffering: .unbounded) { desk, state in desk.name(state) }
      publishThree(publisher)
      names.updateData("a")
      await publisher.drain()
      await names.drain()
      #expect(desk.taken.entries == threeStates)
      #expect(desk.names.entries == [.unknown, .loaded("a")])
      #expect(publisher.subscribe(desk, on: .background, ifDuplicate: .ignore) { $0.take($1) } == taking)
      #expect(publisher.unsubscribe(desk) == .quiescent)
    }

    /// A screen that conforms to no subscriber protocol.
    @MainActor final class Dashboard {
      private(set) var shown: [String] = []

      func count(_ state: LoadState<Int>) {
        Here.assertMainActor()
        if case .loaded(let visitors) = state { shown.append("\(visitors) visitors") }
      }
    }

    @Test("closures may have the publication, on any context")
    @MainActor func publications() async {
      let desk = Desk()
      let (versions, ids) = (Journal<UInt64>(), Journal<PublisherID>())
      publisher.subscribe(
        desk, on: .queue(desk.queue), publication: { _, publication in versions.add(publication.version) })
      publisher.subscribe(
        desk, on: .main, buffering: .latest, ifDuplicate: .allow,
        publication: { _, publication in ids.add(publication.source) })
      publisher.subscribe(
        desk,
        publication: { _, publication in
          Here.assertMainActor()
          ids.add(publication.source)
        })
      let clerk = Clerk()
      publisher.subscribe(clerk, publication: { clerk, publication in clerk.note(publication.version) })
      publisher.updateData(1)
      await publisher.drain()
      #expect(versions.entries == [0, 1])
      #expect(Set(ids.entries) == [publisher.id])
      #expect(await clerk.versions == [0, 1])
    }

    actor Clerk {
      private(set) var versions: [UInt64] = []
      func note(_ version: UInt64) { versions.append(version) }
    }

    @Test("a closure on the main actor may change the main actor's state, for an object of any class")
    @MainActor func mainActorState() async {
      var count = 0
      publisher.subscribe(listener) { listener, state in
        Here.assertMainActor()
        count += 1
        listener.note(state)
      }
      publishThree(publisher)
      await publisher.drain()
      #expect(listener.journal.entries == threeStates)
      #expect(count == 4)

      let dashboard = Dashboard()
      publisher.updateData(5)
      publisher.subscribe(dashboard, on: .main, buffering: .latest) { $0.count($1) }
      let onMain: DeliveryContext.MainActorOnly = .main
      let observation = publisher.observe(on: onMain, buffering: .latest) { dashboard.count($0.state) }
      await publisher.drain()
      #expect(dashboard.shown == ["5 visitors", "5 visitors"])
      #expect(observation.cancel() == .quiescent)
    }

    @Test("an actor subscribes with a closure that is isolated to it, whatever its executor is")
    func actors() async {
      let (tally, housekeeper) = (Tally(), ContextTests.Housekeeper())
      publisher.subscribe(tally) { tally, state in
        tally.preconditionIsolated()
        tally.add(state)  // no await
      }
      publisher.subscribe(housekeeper, buffering: .latest) { $0.add($1) }
      publishThree(publisher)
      await publisher.drain()
      #expect(await tally.states == threeStates)
      #expect(await housekeeper.states.last == threeStates.last)
    }
  }
}
