import Dispatch
import SubPub
import Synchronization

/// An object that subscribes again and again, elsewhere, in place of itself: it is never called twice at once.
enum Successor {
  private static let replacements = 6

  static func replace(
    _ stage: Stage, _ random: inout SplitMix, by joiner: Int, order: Int, caller: inout Caller
  ) -> Stage.Joined {
    let (began, isOver) = (DispatchSemaphore(value: 0), Flag())
    // Long enough for the next one to begin inside it.
    let log = DeliveryLog(at: Place(.background, nil)) { _, _ in
      guard !isOver.isSet else { return }
      began.signal()
      Pause.of(30_000)
    }
    let subscriber = TypedWitness(log)
    var deliveries = [DeliveryContext.background] + Places.shared[.serialQueue].compactMap(\.context)
    var last: Subscription?
    let begin = Stamp.now()
    for _ in 0...replacements {
      // Never the one before.
      deliveries.append(deliveries.remove(at: random.draw(deliveries.count - 1)))
      last = stage.publisher.subscribe(subscriber, on: deliveries[deliveries.count - 1], ifDuplicate: .replace)
      caller.publish(stage.publisher, &random)
      _ = began.wait(timeout: .now() + .milliseconds(20))
    }
    isOver.set()
    let member = Member(
      Role(place: log.place, face: .typed), log, last, joining: Span(begin: begin, end: Stamp.now()), by: joiner,
      order: order, replay: 0...UInt32.max)
    member.note { $0.replacements = replacements }
    return Stage.Joined(member: member, subscriber: subscriber)
  }
}

/// Set once. Nothing is ordered by it.
final class Flag: Sendable {
  private let value = Atomic<Bool>(false)
  var isSet: Bool { value.load(ordering: .relaxed) }
  func set() { value.store(true, ordering: .relaxed) }
}
