public import Dispatch

/// Where the deliveries of a subscription run.
///
/// All but `immediate` are asynchronous, always, also when the publisher is already there (rule 2.03); they see no
/// task-local value and no priority of the publisher (rule 2.10).
public struct Delivery: Hashable, Sendable {
  let context: Context

  enum Context: Hashable, Sendable {
    case immediate
    case main
    case background
    case queue(QueueReference, independent: Bool)
    case executor(ExecutorReference)
    case actor(ActorReference)
    /// The task that iterates a sequence: it comes and takes.
    case iteration
  }

  init(_ context: Context) { self.context = context }

  /// Of a sequence.
  package static var iteration: Delivery { Delivery(.iteration) }
}

extension Delivery {
  /// The publishing thread, before the publishing call returns, unless a delivery of the same publisher's immediate
  /// subscribers is under way already: then that one carries it on and the call returns without waiting (rule 2.03).
  ///
  /// Under a constant flood from other threads the thread that delivers may carry on for them without end.
  public static var immediate: Delivery { Delivery(.immediate) }

  /// The main actor. A program without a main loop needs an `async` main function or `dispatchMain()`: without one of
  /// them nothing is ever delivered here.
  public static var main: Delivery { Delivery(.main) }

  /// Dispatch's global queue, a lane for each subscription: a blocked subscriber blocks no Swift task, and no other
  /// subscription while Dispatch has a free thread (rule 2.08).
  public static var background: Delivery { Delivery(.background) }

  /// A Dispatch queue, serial or concurrent. The publisher's subscriptions that name one queue share a lane: they are
  /// served together, in the order in which they subscribed, never two at once (rules 2.02, 2.07).
  ///
  /// `independent` gives this subscription a lane of its own, so that a concurrent queue may serve several at once.
  /// `.queue(.main)` is `.main`. The queue is kept as long as the subscription is.
  public static func queue(_ queue: DispatchQueue, independent: Bool = false) -> Delivery {
    QueueReference.isMain(queue) ? .main : Delivery(.queue(QueueReference(queue), independent: independent))
  }

  /// A task executor, a lane for each subscription. The executor is kept as long as the subscription is.
  public static func executor(_ executor: any TaskExecutor) -> Delivery {
    Delivery(.executor(ExecutorReference(executor)))
  }

  /// An actor: deliveries run isolated to it. It is held weakly, and its subscriptions end with it (rule 2.05).
  ///
  /// What is pending is a job of the actor's; one without an executor of its own lives until that job has had its turn.
  /// `.actor(MainActor.shared)` is `.main`.
  public static func actor(_ actor: any Actor) -> Delivery {
    actor === MainActor.shared ? .main : Delivery(.actor(ActorReference(actor)))
  }
}

extension Delivery: CustomStringConvertible {
  /// The context as it is written, with the queue's label or the type of the executor or actor.
  public var description: String {
    switch context {
    case .immediate: "immediate"
    case .main: "main"
    case .background: "background"
    case .queue(let reference, false): "queue(\(reference.queue.label))"
    case .queue(let reference, true): "queue(\(reference.queue.label), independent)"
    case .executor(let reference): "executor(\(type(of: reference.executor)))"
    case .actor(let reference): "actor(\(reference.type))"
    case .iteration: "iteration"
    }
  }
}
