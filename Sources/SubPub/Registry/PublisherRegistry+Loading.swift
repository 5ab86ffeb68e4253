/// The turns of a manager's loads and of its cache.
extension PublisherRegistry {
  /// Joins the load under way, if it serves; else hands out the state in which one can begin. Nil after the end.
  nonisolated func joinLoad(_ wanted: LoadUnderWay.Kind, waits: Bool) -> RegistryState.Found? {
    turn { $0.joinLoad(wanted, waits: waits) }
  }

  /// What came of a wish to begin a load.
  enum Begun {
    /// The waiter, for those who wait.
    case began(WaiterID?)
    /// The state is another one by now.
    case overtaken
  }

  /// Begins a load if the state is still that one.
  nonisolated func begin(
    _ new: LoadUnderWay, showing loading: any Stamped, insteadOf old: AnyObject, waits: Bool,
    then operation: CacheOperation?
  ) -> Begun {
    enum Outcome {
      case began(RegistryState.Shown, WaiterID?)
      case overtaken
      case misused
    }
    var after = AfterTurn()
    let outcome: Outcome = turn { state in
      guard !state.updating.contains(.current) else { return .misused }
      guard state.current === old else { return .overtaken }
      let (shown, waiter) = state.begin(new, showing: loading, waits: waits, &after)
      state.plan(operation, &after)
      return .began(shown, waiter)
    }
    switch outcome {
    case .began(let shown, let waiter):
      finish(shown, after)
      return .began(waiter)
    case .overtaken: return .overtaken
    case .misused: stopForTransform()
    }
  }

  /// The load shows something else meanwhile. False when it has ended.
  nonisolated func advance(_ load: Load, to state: any Stamped, before: (any Stamped)? = nil) -> Bool {
    showAndAct { registry, after in registry.advance(load, to: state, before: before, &after) }
  }

  /// The load has a result, which is dropped if the load was superseded. Those who wait for it go on when this thread has
  /// delivered it, as one who publishes does: in a turn of its own, since one who hasn't begun to wait yet wouldn't wait
  /// at all once it is there.
  nonisolated func commit(_ load: Load, _ result: any Stamped, then operation: CacheOperation? = nil) {
    var after = AfterTurn()
    let committed = turn { state in
      let committed = state.commit(load, result, &after)
      if committed != nil { state.plan(operation, &after) }
      return committed
    }
    guard let committed else { return }
    finish(committed.shown, after)
    if !committed.waiters.isEmpty {
      turnAndAct { state, after in state.deliver(result, to: committed.waiters, &after) }
    }
  }

  /// Whether the load has neither ended nor been superseded.
  nonisolated func isUnderWay(_ load: Load) -> Bool { turn { $0.load?.load === load } }

  /// Waits for the end of the load, and returns what it came to; nil when it was superseded, or this task cancelled.
  nonisolated func result(for waiter: WaiterID) async -> (any Stamped)? {
    await withTaskCancellationHandler {
      await wait(for: waiter)
    } onCancel: {
      showAndAct { state, after in state.leaveLoad(waiter, &after) }
      // Who was the last goes on when this thread has delivered the state that came back.
      turnAndAct { state, after in state.waiters.remove(waiter, &after) }
    }
    return turn { $0.results.removeValue(forKey: waiter) }
  }

  /// Nobody wants the load any more.
  nonisolated func abandonLoad() { showAndAct { state, after in state.abandonLoad(&after) } }

  /// Publishes a state, and adds an operation to the cache's queue, in one step.
  nonisolated func publish(_ new: any Stamped, then operation: CacheOperation) {
    var after = AfterTurn()
    let accepted: Accepted? = turn { state in
      guard !state.updating.contains(.current) else { return nil }
      state.plan(operation, &after)
      return state.accept(new, replays: replays, &after)
    }
    guard let accepted else { stopForTransform() }
    finish(accepted, new, after)
  }

  /// One turn, and what follows from it.
  @discardableResult
  private nonisolated func showAndAct(
    _ body: (inout RegistryState, inout AfterTurn) -> RegistryState.Shown?
  ) -> Bool {
    var after = AfterTurn()
    let shown = turn { body(&$0, &after) }
    if let shown { finish(shown, after) } else { after.act() }
    return shown != nil
  }

  private nonisolated func finish(_ shown: RegistryState.Shown, _ after: borrowing AfterTurn) {
    finish(shown.accepted, shown.state, after)
  }
}
