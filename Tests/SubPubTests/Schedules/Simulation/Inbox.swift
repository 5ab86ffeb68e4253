import SubPub
import Support

/// What one subscriber received, through one subscription or, if that was replaced, through several.
final class Inbox {
  let number: Int
  /// What the subscriber does in its callback.
  var reaction: Step?
  /// Held here, until a client releases it.
  var subscriber: StandInSubscriber?
  private(set) var deliveries: [Delivery] = []
  private(set) var contents: [Content] = []
  var members: [SimulatedSubscription] = []
  var isReleased = false
  var diedAt: Int?

  init(number: Int) { self.number = number }

  /// Adds a delivery that has begun, and returns its index.
  func begin(_ publication: Publication<Payload>, at step: UInt64, on strand: Int, isInPlace: Bool = true) -> Int {
    let content = Content(publication.state)
    deliveries.append(
      Delivery(
        begin: step, end: .max, version: UInt32(publication.version), number: UInt32(content.data ?? 0),
        thread: UInt32(truncatingIfNeeded: strand), phase: publication.phase.code, isInPlace: isInPlace))
    contents.append(content)
    return deliveries.count - 1
  }

  func end(_ index: Int, at step: UInt64) { deliveries[index].end = step }
}

/// Records what it receives; its callback is a scheduling point, and does what its inbox says.
final class StandInSubscriber: TypedSubscriber {
  private let simulation: Simulation
  private let number: Int

  init(_ simulation: Simulation, number: Int) {
    self.simulation = simulation
    self.number = number
  }

  deinit {
    let step = simulation.scheduler.note(.subscriberDies, number)
    simulation.inboxes[number].diedAt = step
    simulation.scheduler.point()
  }

  func receive(_ state: LoadState<Payload>) {}

  func receive(_ publication: Publication<Payload>) {
    let (scheduler, inbox) = (simulation.scheduler, simulation.inboxes[number])
    let begin = scheduler.note(.begin, number, Int(publication.version))
    let isInPlace = inbox.members.contains { $0.context.isRunningHere }
    let index = inbox.begin(
      publication, at: simulation.stamp(begin), on: scheduler.running?.number ?? -1, isInPlace: isInPlace)
    scheduler.point()
    inbox.reaction?.run(simulation)
    scheduler.point()
    inbox.end(index, at: simulation.stamp(scheduler.note(.end, number, inbox.contents[index].code)))
  }
}

/// One subscription of a simulation, or one iterator.
final class SimulatedSubscription {
  let number: Int
  let inbox: Inbox
  let context: Context
  let buffering: BufferingPolicy
  var subscription: Subscription?
  var joining = Span(begin: 0, end: .max)
  var cancels: [CancelRecord] = []
  /// The step since when something other than its own cancels may have ended it.
  private(set) var mayHaveEndedSince: Int?

  /// The task of an iterator, and its statistics at the end.
  var task: Task<Void, Never>?
  var counts: Subscription.Statistics?
  /// Why an iteration has ended.
  var iterationEnd: SubscriptionEnd?
  /// Its task was cancelled.
  var isLeaving = false

  init(number: Int, inbox: Inbox, context: Context, buffering: BufferingPolicy) {
    self.number = number
    self.inbox = inbox
    self.context = context
    self.buffering = buffering
  }

  /// Whether it has ended because too many states were pending (2.11).
  var fellBehind: Bool {
    // Asking any other one for its end would retire it if its subscriber is dead, and hide what that one has kept.
    guard case .ending = buffering else { return false }
    return (subscription?.end ?? iterationEnd) == .fellBehind
  }

  var isSequence: Bool { task != nil || counts != nil }

  var hasStayed: Bool { cancels.isEmpty && mayHaveEndedSince == nil && !isLeaving }

  /// From this step on, something other than a cancel may end it.
  func mayEnd(at step: Int) { mayHaveEndedSince = min(mayHaveEndedSince ?? .max, step) }
}
