extension RegistryState {
  /// What came of a request to subscribe.
  @safe
  package struct Joined: ~Copyable {
    package let subscription: Subscription
    /// It was there before, and stays as it is.
    package var isStanding = false
    /// The replay, to be delivered now on the subscribing thread.
    package var replay: Item?
    package var window: EntryWindow?
    /// There are so many entries that some may be of the dead.
    var isSweepDue = false
  }

  /// Takes the current state and joins, in one step (rule 2.01); duplicates are looked after in the same step.
  mutating func join(_ enrolment: Enrolment, turns: any LaneTurns, replays: Bool, _ after: inout AfterTurn) -> Joined {
    var (replaced, replaces): ([Subscription], Bool) = ([], true)
    switch enrolment.ifDuplicate {
    case .allow: replaces = false
    case .ignore:
      replaces = false
      if let standing = duplicates(of: enrolment, &after).first {
        return Joined(subscription: standing, isStanding: true)
      }
    case .replace:
      replaced = duplicates(of: enrolment, &after)
    case .replaceSameType:
      replaced = lanes.flatMap(\.subscriptions).filter {
        $0.face == enrolment.face && $0.subscriberType == enrolment.subscriberType
      }
    }
    for old in replaced { cancel(old, &after) }

    let runner = lane(for: enrolment.delivery, turns: turns)
    let predecessors = replaces && lanes.count > 1 ? predecessors(of: enrolment, in: runner) : []
    return add(enrolment, to: runner, behind: predecessors, replays: replays, &after)
  }

  /// The same object must not be called twice at once, so a newcomer waits until no cancelled subscription of it has a
  /// delivery under way in another lane: one that it replaces, that was replaced before, or that somebody has cancelled
  /// (rule 2.06). The drain that has it takes a turn when it has ended: the cancel has asked for that.
  @inline(never)
  private func predecessors(of enrolment: Enrolment, in runner: LaneRunner) -> [Subscription] {
    let object = ObjectIdentifier(enrolment.subscriber)
    return lanes.filter { $0.runner !== runner }.flatMap { lane in lane.retiring.map { lane.entries[$0] } }
      .filter { $0.subscriberID == object && $0.face == enrolment.face && $0.gate.isUnderWayNow }
  }

  private mutating func add(
    _ enrolment: Enrolment, to runner: LaneRunner, behind predecessors: [Subscription], replays: Bool,
    _ after: inout AfterTurn
  ) -> Joined {
    let subscription = Subscription(
      enrolment, at: runner, after: replays ? newest - 1 : newest, waits: !predecessors.isEmpty)
    if !predecessors.isEmpty {
      holds += predecessors.map { (subscription: $0, successor: subscription, lane: runner) }
    }
    var joined = Joined(subscription: subscription)
    active += 1
    if let window = lanes[runner.index].join(
      subscription, enrolment.deliver, newest: newest, replay: current, predecessors: predecessors.count, &after),
      let current
    {
      joined.replay = Item(state: current, ordinal: newest)
      joined.window = window
    }
    index.add(subscription, active: active, &after)
    joined.isSweepDue = active > sweepAt
    return joined
  }

  /// The standing subscriptions of the same living object through the same face. The caller holds the object, so what
  /// is found at its place is either it, or somebody who is dead and can't be the last to be let go of here.
  private mutating func duplicates(of enrolment: Enrolment, _ after: inout AfterTurn) -> [Subscription] {
    let found = index.find(ObjectIdentifier(enrolment.subscriber), among: lanes, active: active, &after)
    return found.isEmpty ? [] : found.filter { $0.face == enrolment.face && $0.subscriber != nil }
  }

  private mutating func lane(for delivery: Delivery, turns: any LaneTurns) -> LaneRunner {
    let context = delivery.context
    if case .immediate = context, let immediate { return immediate }
    let key = SharedContext(context)
    if let key, let runner = shared[key] { return runner }
    let runner = LaneRunner(delivery, turns: turns, newest: newest, index: lanes.count)
    lanes.append(Lane(runner))
    lanes[runner.index].isClosing = isEnded
    if case .immediate = context { immediate = runner }
    if let key { shared[key] = runner }
    return runner
  }
}
