/// The mailbox of one context at one publisher: what is pending, for whom, and what is being done about it.
///
/// Decides only, inside turns: it takes no lock, starts nothing and releases nothing foreign. What is to be done goes
/// into an `AfterTurn`.
package struct Lane {
  package let runner: LaneRunner
  package let entries = EntryList()
  var demand = Demand()
  package var pending = ItemQueue()
  /// What a drain put aside when its budget was used up. The window in it is out.
  package var parked: Batch?
  /// Entries that are not cancelled.
  package var active = 0
  /// Cancelled entries whose delivery was under way: their closures go when it has ended.
  package var retiring: [Int] = []
  package var firsts = FirstEntries()
  /// The `oldest` subscription has gone whose window reached farthest.
  package var hasLostWindow = false
  /// Somebody has gone who took states that others may have replaced.
  package var hasLostTaker = false
  /// Who waits for this lane in `drain()`, and who needn't any more.
  package var waits: [ServiceWait] = []
  var served: [WaiterID] = []
  /// Nil while there is none.
  package var successors: Successors?
  /// The publisher is gone: what is pending is still delivered.
  package var isClosing = false
  /// The iterating task, when it waits.
  package var reader: Wakeup?

  init(_ runner: LaneRunner) { self.runner = runner }

  package var isIteration: Bool {
    if case .iteration = runner.delivery.context { true } else { false }
  }

  /// Nothing pending, nothing under way, nobody there.
  var isUnused: Bool { active == 0 && runner.signal.isIdle && reader == nil }

  /// A new state. Returns the window when the caller is to deliver it now.
  @inline(__always)
  mutating func append(_ item: Item, _ after: inout AfterTurn) -> EntryWindow? {
    guard active > 0 else { return nil }
    runner.arrived(item.ordinal)
    if successors != nil { miss(item, &after) }
    if runner.isImmediate, runner.signal.isIdle {
      runner.signal.drain()
      return entries.window
    }
    if canOvertakeWake { return overtakeWake() }
    enqueue(item, &after)
    return nil
  }

  /// Whether the lane is the publishing thread's, and was woken for its successors only: nobody has begun to serve it, so
  /// everyone else gets the state now (rule 2.03).
  private var canOvertakeWake: Bool { runner.isImmediate && runner.signal.isScheduled && pending.isEmpty }

  @inline(never)
  private func overtakeWake() -> EntryWindow {
    runner.signal.drain()
    // So the round ends with a turn, which admits the successors.
    _ = runner.signal.noteMore()
    return entries.window
  }

  @inline(never)
  private mutating func miss(_ item: Item, _ after: inout AfterTurn) {
    successors?.miss(item, &after)
    noteOvertaken()
  }

  /// A newcomer, and the state that it is to get first. Returns the window when the caller is to deliver it now.
  @inline(__always)
  mutating func join(
    _ subscription: Subscription, _ deliver: @escaping Deliver, newest: UInt64, replay: (any Stamped)?,
    predecessors: Int, _ after: inout AfterTurn
  ) -> EntryWindow? {
    runner.arrived(newest)
    entries.append(subscription, deliver, windowIsOut: !runner.signal.isIdle)
    active += 1
    demand.add(subscription)
    if let bounds = subscription.bounds, bounds.rule == .oldest { runner.raiseFullAt(to: bounds.fullAt) }
    if predecessors > 0 {
      let replay = replay.map { Item(state: $0, ordinal: newest) }
      let successors = successors ?? Successors()
      self.successors = successors
      successors.add(subscription, predecessors: predecessors, replay: replay, &after)
      return nil
    }
    // A state that is still pending comes to the newcomer in its turn.
    guard let replay, pending.last?.ordinal != newest else { return nil }
    if runner.isImmediate, runner.signal.isIdle {
      runner.signal.drain()
      return entries.window
    }
    if canOvertakeWake { return overtakeWake() }
    enqueue(Item(state: replay, ordinal: newest), &after)
    if pending.count == 1 { pending.firstIsFrom = subscription.slot }
    return nil
  }

  @inline(__always)
  private mutating func enqueue(_ item: Item, _ after: inout AfterTurn) {
    pending.append(item)
    if !demand.takesAll(from: pending.ordinal(at: 0)) {
      demand.trim(&pending, fullAt: runner.fullAt, &after)
      noteOvertaken()
    }
    if isIteration {
      if let reader = reader.take() { after.resume(reader) }
    } else if !runner.signal.isScheduled, !runner.signal.noteMore() {
      runner.signal.schedule()
      after.wake(runner)
    }
  }
}

extension Lane {
  /// The entries that are not cancelled, in the order in which they subscribed.
  package var subscriptions: [Subscription] {
    (0..<entries.count).map { entries[$0] }.filter { $0.gate.closedAt == nil }
  }
}
