/// A context that is an actor, held weakly (rule 2.05).
final class ActorReference: Sendable {
  weak let actor: (any Actor)?
  /// Where the actor lives, or lived: a key, never looked behind.
  let id: ObjectIdentifier
  let type: any Actor.Type
  let isTimed: Bool

  init(_ actor: any Actor) {
    self.actor = actor
    id = ObjectIdentifier(actor)
    type = Swift.type(of: actor)
    isTimed = !(actor.foreignExecutor is any Untimed)
  }
}

extension ActorReference: Hashable {
  /// The same actor. A new actor at the address of a dead one is another.
  static func == (left: ActorReference, right: ActorReference) -> Bool {
    if left === right { return true }
    guard left.id == right.id, let a = left.actor, let b = right.actor else { return false }
    return a === b
  }

  func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Actor {
  /// The executor that runs its jobs, if it isn't the actor itself.
  nonisolated var foreignExecutor: (any SerialExecutor)? {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return nil }
    let executor = unsafe unownedExecutor.asSerialExecutor()
    return executor === self ? nil : executor
  }
}
