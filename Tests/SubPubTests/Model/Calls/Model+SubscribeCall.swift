import SubPub

extension Model {
  /// `PublisherRegistry.subscribe(_:)`.
  final class SubscribeCall: Call {
    private let subject: Subject
    private var hasJoined = false
    /// What is to be delivered on the subscribing thread.
    private var replay: Item?
    private var window: EntryWindow?

    init(_ subject: Subject) { self.subject = subject }

    var need: Need { .turn }
    var name: String { "turn: \(subject.number) joins" }

    func step(_ world: World) -> Progress {
      let (plan, number, ledger) = (subject.plan, subject.number, world.ledger)
      guard let object = world.objects[plan.object] else { return .ends }
      let token = Mortal(.closure, number, ledger)
      let enrolment = Enrolment(
        object, as: .untyped, on: plan.delivery, buffering: plan.buffering, ifDuplicate: plan.ifDuplicate
      ) { _, _ in
        withExtendedLifetime(token) { ledger.called(number) }
      }
      var after = AfterTurn()
      ledger.turn(true)
      let joined = world.registry.join(enrolment, &after)
      ledger.turn(false)
      (hasJoined, replay, window) = (true, joined.replay, joined.window)
      let subscription = joined.subscription
      subject.subscription = subscription
      // What the publisher shows at this moment is the first that it has to get (rule 2.01).
      subject.last = world.registry.turn { $0.newest } - 1
      let runner = world.registry.turn { state in
        state.lanes.first { $0.subscriptions.contains(subscription) }?.runner
      }
      if let runner {
        if !world.tracks.contains(where: { $0.runner === runner }) {
          world.tracks.append(Track(number, runner, actor: plan.actor.flatMap { world.objects[$0] }))
        }
        subject.track = world.track(runner)
      }
      world.turn { _ in }
      return world.act(after, thenIn: self)
    }

    func advance(_ world: World) -> Progress {
      guard hasJoined, let track = subject.track else { return .stays }
      guard let replay, let window else { return .ends }
      // The last of the window, as in the shell.
      return .becomes(DeliverNowCall(replay, window, from: window.count - 1, on: track))
    }

    func feed(_ digest: inout Digest, _ world: World) {
      digest.add(3)
      digest.add(hasJoined)
      digest.add(replay?.ordinal ?? 0)
    }
  }
}
