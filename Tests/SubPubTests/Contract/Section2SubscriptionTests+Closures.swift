import SubPub
import SubPubTesting
import Testing

// Rule 2.06 for closures, and what closures and subscribers may leave out.
extension Section2SubscriptionTests {
  @Test("ignore finds any closure of the object on any context")
  func required_2_06_closureIgnored() {
    let first = publisher.subscribe(recorder, on: .immediate) { $0.receive($1) }
    let again = publisher.subscribe(recorder, on: .background, ifDuplicate: .ignore) { $0.receive($1) }
    #expect(again == first)
    let onMain = publisher.subscribe(recorder, ifDuplicate: .ignore) { $0.receive($1) }
    #expect(onMain == first)
    #expect(recorder.states == [.unknown])
    // Neither a protocol nor another object is a duplicate.
    #expect(publisher.subscribe(recorder, on: .immediate) != first)
    let other = Recorder<Int>()
    #expect(publisher.subscribe(other, on: .immediate, ifDuplicate: .ignore) { $0.receive($1) } != first)
  }

  @Test("replace cancels every closure of the object, and none of its protocols' subscriptions")
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

  @Test("the closures of an actor can be duplicates, too")
  func required_2_06_actorClosure() {
    let actor = Borrower(nil)
    let first = publisher.subscribe(actor) { $0.note($1) }
    #expect(publisher.subscribe(actor, ifDuplicate: .ignore) { $0.note($1) } == first)
    let new = publisher.subscribe(actor, ifDuplicate: .replace) { $0.note($1) }
    #expect(!first.isActive)
    #expect(new.isActive)
  }

  @Test("replaceSameType leaves the closures of other classes alone")
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

  @Test("closures are isolated to the main actor with .main and by default")
  @MainActor func required_2_03_mainContext() async {
    @MainActor final class Screen { var states: [LoadState<Int>] = [] }
    let screen = Screen()
    let subscription = publisher.subscribe(screen, on: .main) { $0.states.append($1) }
    publisher.subscribe(screen) { $0.states.append($1) }
    #expect(subscription.context == .main)
    #expect(screen.states == [])
    await publisher.drain()
    #expect(screen.states == [.unknown, .unknown])
  }

  @Test("calling a function that a subscriber doesn't implement stops the program with a message")
  func required_2_01_missingFunction() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      HeldRecorder().receive(.loaded(1))
    }
    #expect(MisuseTests.message(result).contains("HeldRecorder implements no receive(_:) that takes a LoadState"))
  }
}
