import SubPub
import Testing

extension SeedTests {
  @Suite("Where this package differs from the seeds on purpose")
  struct DifferencesTests {
    @MainActor final class Screen: MainActorTypedSubscriber {
      private(set) var phases: [LoadPhase] = []
      func receive(_ state: LoadState<Int>) { phases.append(state.phase) }
    }

    @Test("the replay comes after subscribe() has returned, and every state after the call that published it")
    @MainActor func required_2_03_asynchronousOnMain() async {
      let publisher = Publisher<Int>()
      let screen = Screen()
      publisher.subscribe(screen)
      #expect(screen.phases == [])
      await publisher.drain()
      #expect(screen.phases == [.unknown])
      publisher.startLoading()
      #expect(screen.phases == [.unknown])
      await publisher.drain()
      #expect(screen.phases == [.unknown, .loading])
    }

    @Test("who needs the replay inside subscribe(), as in the seeds, asks for immediate delivery")
    func required_2_03_immediate() {
      let publisher = Publisher<Int>()
      let phases = Journal<LoadPhase>()
      publisher.subscribe(phases, on: .immediate) { $0.add($1.phase) }
      #expect(phases.entries == [.unknown])
      publisher.startLoading()
      #expect(phases.entries == [.unknown, .loading])
    }

    protocol Listener: AnyObject, Sendable {
      func hear()
    }

    final class Named: Listener {
      let name: String
      let journal: Journal<String>
      init(_ name: String, _ journal: Journal<String>) {
        self.name = name
        self.journal = journal
      }
      func hear() { journal.add(name) }
    }

    final class Unlike: Listener {
      let journal: Journal<String>
      init(_ journal: Journal<String>) { self.journal = journal }
      func hear() { journal.add("unlike") }
    }

    @Test("delegates are called in the order in which they joined, and not in reverse")
    func required_2_07_orderOfJoining() {
      let group = MulticastDelegate<any Listener>()
      let journal = Journal<String>()
      let listeners = ["first", "second", "third"].map { Named($0, journal) }
      for listener in listeners { group.add(listener, on: .immediate) }
      group.call { $0.hear() }
      #expect(journal.entries == ["first", "second", "third"])
      withExtendedLifetime(listeners) {}
    }

    @Test("notifiers are held weakly: one that nobody else holds dies, and hears no more")
    func required_2_05_weak() {
      let group = MulticastDelegate<any Listener>()
      let journal = Journal<String>()
      weak var probe: Named?
      do {
        let listener = Named("gone", journal)
        probe = listener
        group.add(listener, on: .immediate)
        withExtendedLifetime(listener) {}
      }
      #expect(probe == nil)
      group.call { $0.hear() }
      #expect(journal.entries == [])
      #expect(group.count == 0)
    }

    @Test("replaceSameType replaces every one of the class, and not the first that is found")
    func required_2_06_everyOneOfTheClass() {
      let group = MulticastDelegate<any Listener>()
      let journal = Journal<String>()
      let (first, second) = (Named("first", journal), Named("second", journal))
      let (unlike, new) = (Unlike(journal), Named("new", journal))
      let old = [group.add(first, on: .immediate), group.add(second, on: .immediate)]
      group.add(unlike, on: .immediate)
      group.add(new, on: .immediate, ifDuplicate: .replaceSameType)
      #expect(old.map(\.isActive) == [false, false])
      #expect(group.count == 2)
      withExtendedLifetime((first, second, unlike, new)) { group.call { $0.hear() } }
      #expect(journal.entries == ["unlike", "new"])
    }
  }
}
