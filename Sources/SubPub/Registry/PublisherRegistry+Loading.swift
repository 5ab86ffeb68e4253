/// The turns of a manager's loads and of its cache.
extension PublisherRegistry {
  /// Joins the load under way, or begins one if the state is still that one.
  nonisolated func load(
    _ new: LoadUnderWay, showing loading: any Stamped, insteadOf old: AnyObject, joins: Bool, waits: Bool,
    reading step: CacheAgenda.Step?
  ) -> RegistryState.Wished {
    var after = AfterTurn()
    let wished: RegistryState.Wished? = turn { state in
      guard !state.updating.contains(.current) else { return nil }
      if joins, let joined = state.joinLoad(of: new.kind, waits: waits) { return joined }
      let wished = state.begin(new, showing: loading, insteadOf: old, waits: waits, &after)
      if case .began = wished, let step { state.agenda.append(step) }
      return wished
    }
    guard let wished else { stopForTransform() }
    if case .began(let shown, _) = wished { finish(shown, after) } else { after.act() }
    return wished
  }

  /// Joins the load under way for somebody who doesn't wait. False when there is none.
  nonisolated func keepLoad() -> Bool { turn { $0.joinLoad(of: .page, waits: false) } != nil }

  /// The load shows something else meanwhile. False when it has ended.
  nonisolated func advance(_ load: Load, to state: any Stamped, before: (any Stamped)? = nil) -> Bool {
    showAndAct { registry, after, _ in registry.advance(load, to: state, before: before, &after) }
  }

  /// The load has a result, which is dropped if the load was superseded.
  nonisolated func commit(_ load: Load, _ result: any Stamped, writing step: CacheAgenda.Step? = nil) {
    showAndAct { state, after, delivered in
      let shown = state.commit(load, result, &after, delivered: &delivered)
      if shown != nil, let step { state.agenda.append(step) }
      return shown
    }
  }

  /// Whether it is still the load whose `loading` is shown.
  nonisolated func isUnderWay(_ load: Load) -> Bool { turn { $0.load?.load === load } }

  /// Waits for the end of the load, and returns what it came to; nil when it was superseded, or this task cancelled.
  nonisolated func result(for waiter: WaiterID) async -> (any Stamped)? {
    await withTaskCancellationHandler {
      await wait(for: waiter)
    } onCancel: {
      showAndAct { $0.leaveLoad(waiter, &$1, delivered: &$2) }
    }
    return turn { $0.results.removeValue(forKey: waiter) }
  }

  /// Nobody wants the load any more.
  nonisolated func abandonLoad() { showAndAct { state, after, _ in state.abandonLoad(&after) } }

  /// Publishes a state, and has the cache cleared behind everything that was decided before.
  nonisolated func publish(_ new: any Stamped, clearing step: @escaping CacheAgenda.Step) {
    var after = AfterTurn()
    let accepted: Accepted? = turn { state in
      guard !state.updating.contains(.current) else { return nil }
      state.agenda.append(step)
      return state.accept(new, replays: replays, &after)
    }
    guard let accepted else { stopForTransform() }
    finish(accepted, new, after)
  }

  /// Does one thing more with the cache, behind everything that was decided before.
  nonisolated func append(_ step: @escaping CacheAgenda.Step) { turn { $0.agenda.append(step) } }

  /// Has the steps taken that are to be taken. A step holds what it needs, and no publisher: the cache is written also
  /// when everything else has gone.
  nonisolated func workOffAgenda(on executor: (any TaskExecutor)?) {
    guard turn({ $0.agenda.beginWork() }) else { return }
    Task.detached(executorPreference: executor) {
      while let step = self.turn({ $0.agenda.next() }) { await step() }
    }
  }

  /// One turn, and what follows from it: some of it when the publishing thread has delivered.
  @discardableResult
  private nonisolated func showAndAct(
    _ body: (inout RegistryState, inout AfterTurn, _ delivered: inout AfterTurn) -> RegistryState.Shown?
  ) -> Bool {
    var (after, delivered) = (AfterTurn(), AfterTurn())
    let shown = turn { body(&$0, &after, &delivered) }
    if let shown { finish(shown, after) } else { after.act() }
    delivered.act()
    return shown != nil
  }

  private nonisolated func finish(_ shown: RegistryState.Shown, _ after: borrowing AfterTurn) {
    finish(shown.accepted, shown.state, after)
  }
}
