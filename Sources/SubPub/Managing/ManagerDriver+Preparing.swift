/// Foreign code.
extension ManagerDriver {
  /// Decides as `decide` does, and runs foreign code first if the machine needs that.
  ///
  /// Whoever comes meanwhile waits, so only a transition by hand, which drops the edits, can outdate what was prepared
  /// (5.27).
  ///
  /// Returns false without a decision if it may be cancelled, and the task is cancelled while it waits.
  @discardableResult
  func decidePrepared(
    mayBeCancelled: Bool = false, _ body: (inout Machine, Prepared<Value>?, Present) -> Decision<Value>
  ) async -> Bool {
    var (prepared, ticket) = (Prepared<Value>?.none, Int?.none)
    while true {
      // The former one may hold the last reference to a dropped edit, so it outlives the turn.
      var (needed, waits) = (Preparation<Value>?.none, false)
      decideInTurn { machine, present, _, effects in
        if ticket == nil, !owner.preparing.hasFree {
          (ticket, waits) = (owner.preparing.takeTicket(), true)
          return Step()
        }
        switch body(&machine, prepared, present) {
        case .done(let step):
          if let ticket { effects.resume(owner.preparing.return(ticket)) }
          return step
        case .needs(let preparation):
          needed = preparation
          ticket = ticket ?? owner.preparing.takeTicket()
          return Step()
        }
      }
      if let needed {
        prepared = prepare(needed)
      } else if waits, let ticket {
        guard await wait(with: ticket, mayBeCancelled) else { return false }
      } else {
        return true
      }
    }
  }

  /// Waits until a ticket has the permit; returns false if the task was cancelled, and the ticket returned.
  private func wait(with ticket: Int, _ mayBeCancelled: Bool) async -> Bool {
    await SuspendedTask.wait { task in
      registry.turn { _ in owner.preparing.suspend(task, with: ticket) }
    } onCancel: {
      if mayBeCancelled { registry.perform { _, effects in effects.resume(owner.preparing.return(ticket)) } }
    }
    return registry.turn { _ in owner.preparing.hasPermit(ticket) }
  }

  /// Runs the foreign code that a step needs.
  private func prepare(_ needed: Preparation<Value>) -> Prepared<Value> {
    if let former = needed.former, let isUnchanged = options.isUnchanged, isUnchanged(former.value, needed.data.value) {
      return Prepared(revision: needed.revision, data: needed.data, shown: former.value, isUnchanged: true)
    }
    var data = needed.data
    if let accept = needed.accept { data = ServerData(apply(accept, to: data.value), data.provenance) }
    var shown = data.value
    // Each former value dies between two edits, where its `deinit` may publish.
    for edit in needed.edits { shown = apply(edit.apply, to: shown) }
    return Prepared(revision: needed.revision, data: data, shown: shown, isUnchanged: false)
  }

  /// Runs a change, which, like the transforms of `update`, must not change this publisher.
  private func apply(_ change: @Sendable (Value) -> Value, to value: Value) -> Value {
    registry.beginUpdate()
    defer { registry.abandonUpdate() }
    return change(value)
  }
}
