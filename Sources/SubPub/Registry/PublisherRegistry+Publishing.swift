extension PublisherRegistry {
  /// Accepts a state and has it delivered.
  @usableFromInline
  nonisolated func publish(_ new: any Stamped) {
    var after = AfterTurn()
    guard let accepted = enterAccept(new, &after) else { stopForTransform() }
    finish(accepted, new, after)
  }

  /// The same, if `old` is still the current state: for changes that depend on what there was.
  ///
  /// `endsUpdate` says that a transform of `update` made the new state; its mark goes in the same turn. `keepsLoad` says
  /// that the new state is the old one once more: a manager's load goes on.
  @usableFromInline
  nonisolated func publish(
    _ new: any Stamped, ifCurrentIs old: AnyObject, endsUpdate: Bool = false, keepsLoad: Bool = false
  )
    -> Bool
  {
    enum Outcome {
      case accepted(Accepted)
      case overtaken
      case misused
    }
    var after = AfterTurn()
    let outcome: Outcome = turn { state in
      if !endsUpdate, state.updating.contains(.current) { return .misused }
      // Also when it was overtaken: what dies then, dies outside the transform.
      if endsUpdate { state.endUpdate() }
      guard state.current === old else { return .overtaken }
      return .accepted(
        keepsLoad
          ? state.acceptWithinLoad(new, replays: replays, &after) : state.accept(new, replays: replays, &after))
    }
    switch outcome {
    case .accepted(let accepted):
      finish(accepted, new, after)
      return true
    case .overtaken: return false
    case .misused: stopForTransform()
    }
  }

  @inline(__always)
  nonisolated func finish(_ accepted: consuming Accepted, _ new: any Stamped, _ after: borrowing AfterTurn) {
    after.act()
    accepted.serve { lane, window in
      lane.deliverNow(Item(state: new, ordinal: accepted.ordinal), window: window, from: 0)
    }
  }

  /// The current state and its version, together.
  @usableFromInline
  nonisolated var current: (any Stamped)? { turn { $0.current } }

  /// The publisher is gone.
  @usableFromInline
  package nonisolated func end() { turnAndAct { $0.end(&$1) } }

  /// Before each run of an update's transform on this thread.
  @usableFromInline
  nonisolated func beginUpdate() {
    let isNested = turn { state in
      if state.updating.contains(.current) { return true }
      state.updating.append(.current)
      return false
    }
    if isNested { stopForTransform() }
  }

  /// The transform has thrown, or wants no change.
  @usableFromInline
  nonisolated func abandonUpdate() { turn { $0.endUpdate() } }

  nonisolated func stopForTransform() -> Never {
    stopForMisuse(
      """
      A transform of update(_:), or the == of updateData(ifChanged:), on \(source) changes the same publisher, itself or \
      through its manager, and would run again for ever: return the new state instead, or publish after the call has returned
      """)
  }
}

extension RegistryState {
  fileprivate mutating func endUpdate() { updating.removeAll { $0 == .current } }
}
