public import Dispatch

/// The place where the deliveries of a subscription run.
///
/// | context | runs deliveries on | shares a lane with |
/// |---|---|---|
/// | ``immediate`` | the publishing thread | all immediate subscriptions of the publisher |
/// | ``main`` | the main actor | all main-actor subscriptions of the publisher |
/// | ``background`` | Dispatch's global queue | no other subscription |
/// | ``queue(_:independent:)`` | that queue | the publisher's subscriptions that name the same queue |
/// | ``executor(_:)`` | that task executor | no other subscription |
/// | ``serial(_:)`` | that serial executor | the publisher's subscriptions that name the same executor |
/// | ``actor(_:)`` | that actor | the publisher's subscriptions that name the same actor |
///
/// Subscriptions share a lane only if they also have the same ``BufferingPolicy``. They are served together, in the
/// order in which they subscribed, and never two at once (2.02, 2.07). Except with `immediate`, deliveries are always
/// asynchronous, even if the publishing thread is already on the context (2.03), and they see neither the publisher's
/// task-local values nor its priority (2.10).
public struct DeliveryContext: Hashable, Sendable {
  let kind: Kind

  enum Kind: Hashable, Sendable {
    case immediate
    case main
    case background
    case queue(QueueReference, independent: Bool)
    case executor(ExecutorReference)
    case serial(SerialReference)
    case actor(ActorReference)
    /// The task that iterates a sequence, which takes states when it needs them.
    case iteration(of: Selection)
  }

  /// The states that a sequence gives.
  enum Selection: Hashable, Sendable { case everyState, loadedStates }

  init(_ kind: Kind) { self.kind = kind }
}

extension DeliveryContext {
  /// The publishing thread, before the publishing call returns.
  ///
  /// If a delivery to an immediate subscriber of the same publisher is already under way, its thread carries on with
  /// the new state, and the call returns without waiting (2.03). However fast others publish, it does so for 256 states
  /// at most: then it leaves the rest to the next thread that publishes, or to one of Dispatch.
  public static var immediate: DeliveryContext { DeliveryContext(.immediate) }

  /// The main actor.
  ///
  /// The program needs an `async` main function, `dispatchMain()`, or a main run loop. Without one of these, main-actor
  /// deliveries never run.
  public static var main: DeliveryContext { DeliveryContext(.main) }

  /// Dispatch's global queue, with a lane for each subscription.
  ///
  /// A subscriber that blocks there doesn't block any Swift task. It doesn't delay any other subscription either, as
  /// long as Dispatch has a free thread (2.08).
  public static var background: DeliveryContext { DeliveryContext(.background) }

  /// Returns the context of a Dispatch queue, serial or concurrent.
  ///
  /// The subscriptions retain the queue. `.queue(.main)` is ``main``.
  ///
  /// - Parameters:
  ///   - queue: Where deliveries run. The publisher's subscriptions that name the same queue share a lane.
  ///   - independent: Whether each subscription gets a lane of its own, so that a concurrent queue can serve several
  ///     subscriptions at once.
  /// - Returns: The context.
  public static func queue(_ queue: DispatchQueue, independent: Bool = false) -> DeliveryContext {
    QueueReference.isMain(queue) ? .main : DeliveryContext(.queue(QueueReference(queue), independent: independent))
  }

  /// Returns the context of a task executor, with a lane for each subscription.
  ///
  /// - Parameter executor: Where deliveries run. The subscriptions retain it.
  /// - Returns: The context.
  public static func executor(_ executor: any TaskExecutor) -> DeliveryContext {
    DeliveryContext(.executor(ExecutorReference(executor)))
  }

  /// Returns the context of a serial executor, such as an event loop's.
  ///
  /// Deliveries are isolated to it: an actor with this executor can use `assumeIsolated`, and an event loop finds
  /// itself on its own thread. For a loop of SwiftNIO, write `.serial(loop.executor)`.
  ///
  /// - Parameter executor: Where deliveries run. The subscriptions retain it. The publisher's subscriptions that name
  ///   the same executor share a lane, which wakes it once for all of them, and lets it look at its I/O between two
  ///   time slices (2.08).
  /// - Returns: The context.
  public static func serial(_ executor: any SerialExecutor) -> DeliveryContext {
    DeliveryContext(.serial(SerialReference(executor)))
  }

  /// Returns the context of an actor, to which deliveries are isolated.
  ///
  /// The actor is held weakly, and its subscriptions end with it (2.05). While states are pending, an actor without an
  /// executor of its own lives until the job that delivers them has run. `.actor(MainActor.shared)` is ``main``.
  ///
  /// - Parameter actor: Where deliveries run. The publisher's subscriptions that name the same actor share a lane.
  /// - Returns: The context.
  public static func actor(_ actor: any Actor) -> DeliveryContext {
    actor === MainActor.shared ? .main : DeliveryContext(.actor(ActorReference(actor)))
  }

  /// Returns the context of a sequence's iterator.
  static func iteration(of selection: Selection) -> DeliveryContext { DeliveryContext(.iteration(of: selection)) }

  /// Returns the context of a test's stand-in for a queue.
  package static func queue(_ standIn: any WorkQueue, independent: Bool = false) -> DeliveryContext {
    DeliveryContext(.queue(QueueReference(standIn), independent: independent))
  }
}

extension DeliveryContext {
  /// The actor; nil if the context is none, or if the actor has died.
  var actor: (any Actor)? {
    if case .actor(let reference) = kind { reference.actor } else { nil }
  }

  /// The address of the actor, alive or not; nil if the context is none.
  var actorID: ObjectIdentifier? {
    if case .actor(let reference) = kind { reference.id } else { nil }
  }

  /// Returns whether the context is an actor that has died, given the present value of `actor`.
  func isGone(_ actor: (any Actor)?) -> Bool {
    if case .actor = kind { actor == nil } else { false }
  }

  /// Whether the subscriptions that name this context share a lane if they have the same buffering policy.
  var isShared: Bool {
    switch kind {
    case .immediate, .main, .queue(_, independent: false), .serial, .actor: true
    case .background, .executor, .queue(_, independent: true), .iteration: false
    }
  }

  var isImmediate: Bool { if case .immediate = kind { true } else { false } }

  /// Whether the publishing thread serves subscriptions with this policy as soon as a state is published.
  func deliversAtOnce(_ buffering: BufferingPolicy) -> Bool { isImmediate && buffering == .unbounded }

  /// Whether waking a lane runs foreign code: the `enqueue` of an executor.
  var isForeign: Bool {
    switch kind {
    case .executor, .serial, .actor: true
    case .immediate, .main, .background, .queue, .iteration: false
    }
  }

  /// Whether the context appends jobs to a queue that other work shares, so that a lane can be handed back by the
  /// thread that serves it.
  var hasKnownQueue: Bool {
    switch kind {
    case .immediate, .main, .background, .queue, .iteration: true
    case .executor(let reference): reference.hasKnownQueue
    case .serial(let reference): reference.hasKnownQueue
    case .actor(let reference): reference.hasKnownQueue
    }
  }

  /// The number of deliveries in a time slice, if a test has fixed it.
  var fixedTimeSlice: Int? {
    switch kind {
    case .immediate, .main, .background, .iteration: nil
    case .queue(let reference, _): reference.fixedTimeSlice
    case .executor(let reference): reference.fixedTimeSlice
    case .serial(let reference): reference.fixedTimeSlice
    case .actor(let reference): reference.fixedTimeSlice
    }
  }
}

extension DeliveryContext: CustomStringConvertible {
  /// The context as it is written in code, with the label of the queue or the type of the executor or actor.
  public var description: String {
    switch kind {
    case .immediate: "immediate"
    case .main: "main"
    case .background: "background"
    case .queue(let reference, false): "queue(\(reference.queue.label.onOneLine))"
    case .queue(let reference, true): "queue(\(reference.queue.label.onOneLine), independent)"
    case .executor(let reference): "executor(\(type(of: reference.executor)))"
    case .serial(let reference): "serial(\(type(of: reference.executor)))"
    case .actor(let reference): "actor(\(reference.type))"
    case .iteration: "iteration"
    }
  }
}

extension BufferingPolicy {
  /// Stops the program if the policy makes no sense, or not with immediate delivery.
  func check(with context: DeliveryContext) {
    switch self {
    case .newest(let count) where count < 1:
      stopForMisuse("The buffering policy .\(self) keeps no state: give it a capacity of at least 1, or use .latest")
    case .ending(let count) where count < 1:
      stopForMisuse("The buffering policy .\(self) would end every subscription at once: give it at least 1")
    case .paced(let interval) where interval <= .zero:
      stopForMisuse("The buffering policy .\(self) leaves no time between deliveries: give it more, or use .latest")
    case .paced where context.isImmediate:
      stopForMisuse("The publishing thread can't deliver later: use .latest(every:) with another context")
    case .unbounded, .latest, .newest, .ending, .paced: break
    }
  }
}
