import SubPub
import SubPubTesting
import Testing

/// Duplicates of closures, and contexts that a closure's isolation decides.
extension Section2SubscriptionTests {
  @MainActor private final class Display {
    var states: [LoadState<Int>] = []
    nonisolated init() {}
  }

  @Test("2.06: closures of one object are no duplicates unless the caller asks")
  func required_2_06_closuresAllowed() {
    let first = publisher.subscribe(recorder, on: .immediate) { $0.receive($1) }
    let second = publisher.subscribe(recorder, on: .immediate) { $0.receive($1) }
    #expect(first != second)
    #expect(recorder.states == [.unknown, .unknown])
    publisher.updateData(1)
    #expect(recorder.states.count == 4)
  }

  @Test("2.06: with ignore, any closure of the object counts, whatever its context")
  func required_2_06_closureIgnored() {
    let first = publisher.subscribe(recorder, on: .immediate) { $0.receive($1) }
    let again = publisher.subscribe(recorder, on: .background, ifDuplicate: .ignore) { $0.receive($1) }
    #expect(again == first)
    let onMain = publisher.subscribe(recorder, ifDuplicate: .ignore) { $0.receive($1) }
    #expect(onMain == first)
    #expect(recorder.states == [.unknown])
    // A protocol is another interface, and so is another object.
    #expect(publisher.subscribe(recorder, on: .immediate) != first)
    let other = Recorder<Int>()
    #expect(publisher.subscribe(other, on: .immediate, ifDuplicate: .ignore) { $0.receive($1) } != first)
  }

  @Test("2.06: with replace, every closure of the object is cancelled, and no protocol's subscription")
  func required_2_06_closureReplaced() {
    let typed = publisher.subscribe(recorder, on: .immediate)
    let first = publisher.subscribe(recorder, on: .immediate) { $0.receive($1) }
    let second = publisher.subscribe(recorder, buffering: .latest) { $0.receive($1) }
    let new = publisher.subscribe(recorder, on: .immediate, ifDuplicate: .replace) { $0.receive($1) }
    #expect([typed, first, second, new].map(\.isActive) == [true, false, false, true])
    let count = recorder.states.count
    publisher.updateData(1)
    #expect(recorder.states.count == count + 2)
  }

  @Test("2.06: an actor's closures count as well")
  func required_2_06_actorClosure() {
    let counter = Counter()
    let first = publisher.subscribe(counter) { $0.count($1) }
    #expect(publisher.subscribe(counter, ifDuplicate: .ignore) { $0.count($1) } == first)
    let new = publisher.subscribe(counter, ifDuplicate: .replace) { $0.count($1) }
    #expect(!first.isActive)
    #expect(new.isActive)
  }

  private actor Counter {
    private(set) var states = 0
    func count(_ state: LoadState<Int>) { states += 1 }
  }

  @Test("2.06: replacing the closures of a class leaves other classes alone")
  func required_2_06_closuresOfAClass() {
    final class Other: Sendable {}
    let (same, other) = (Recorder<Int>(), Other())
    let first = publisher.subscribe(same, on: .immediate) { $0.receive($1) }
    let second = publisher.subscribe(other, on: .immediate) { _, _ in }
    publisher.subscribe(recorder, on: .immediate, ifDuplicate: .replaceSameType) { $0.receive($1) }
    #expect(!first.isActive)
    #expect(second.isActive)
    withExtendedLifetime((same, other)) {}
  }

  @Test("2.03: with on: .main a closure is isolated to the main actor, as without")
  @MainActor func required_2_03_mainContext() async {
    let screen = Display()
    let subscription = publisher.subscribe(screen, on: .main) { $0.states.append($1) }
    publisher.subscribe(screen) { $0.states.append($1) }
    #expect(subscription.context == .main)
    #expect(screen.states == [])
    await publisher.drain()
    #expect(screen.states == [.unknown, .unknown])
  }

  /// Implements only the function that takes a publication.
  private final class Versions: TypedSubscriber {
    let recorder = Recorder<UInt64>()
    func receive(_ publication: Publication<Int>) { recorder.receive(.loaded(publication.version)) }
  }

  @Test("2.01: a typed subscriber may implement only the function that takes a publication")
  func required_2_01_onlyPublications() {
    let versions = Versions()
    publisher.subscribe(versions, on: .immediate)
    publisher.updateData(1)
    #expect(versions.recorder.states == [.loaded(0), .loaded(1)])
  }

  @Test("2.01: calling the function that it doesn't implement stops with a message")
  func required_2_01_missingFunction() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Versions().receive(.loaded(1))
    }
    #expect(MisuseTests.message(result).contains("Versions implements no receive(_:) that takes a LoadState"))
  }
}
