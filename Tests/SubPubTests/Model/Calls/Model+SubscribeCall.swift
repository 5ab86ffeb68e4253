import SubPub

extension Model {
  /// `PublisherRegistry.subscribe(_:)`.
  final class SubscribeCall: Call {
    private let subject: Subject
    private var joined: RegistryState.Joined?

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
      self.joined = joined
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
      guard let joined, let track = subject.track else { return .stays }
      guard let item = joined.replay, let window = joined.window else { return .ends }
      return .becomes(DeliverNowCall(item, window, from: joined.subscription.slot, on: track))
    }

    func feed(_ digest: inout Digest, _ world: World) {
      digest.add(3)
      digest.add(joined != nil)
      digest.add(joined?.replay?.ordinal ?? 0)
    }
  }
}
