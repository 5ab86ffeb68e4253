/// A context that is an actor, held weakly (rule 2.05).
final class ActorReference: Sendable {
  weak let actor: (any Actor)?
  /// The actor's address. It stands for the actor even after its death: see `memory`.
  let id: ObjectIdentifier
  let type: any Actor.Type
  let isTimed: Bool
  /// Keeps the actor's memory, and not the actor: as long as this reference lives, no other object gets that address.
  /// Never read.
  private unowned let memory: any Actor

  init(_ actor: any Actor) {
    self.actor = actor
    memory = actor
    id = ObjectIdentifier(actor)
    type = Swift.type(of: actor)
    isTimed = !(actor.foreignExecutor?.owner is any Untimed)
  }
}

extension ActorReference: Hashable {
  /// Whether both name one actor, dead or alive.
  static func == (left: ActorReference, right: ActorReference) -> Bool { left.id == right.id }

  func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// An executor that an actor has from elsewhere, as the actor names it.
@safe
struct ForeignExecutor: Sendable {
  let executor: UnownedSerialExecutor
  /// The object that the name stands for, which keeps the executor. Never called: for an actor that lends its own
  /// executor, it has no methods.
  let owner: any SerialExecutor

  init(_ executor: UnownedSerialExecutor, owner: any SerialExecutor) {
    unsafe self.executor = executor
    self.owner = owner
  }
}

extension Actor {
  /// The executor that runs its jobs, if it isn't the actor itself. Nil as well where the system can't tell.
  nonisolated var foreignExecutor: ForeignExecutor? {
    guard #available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *) else { return nil }
    let executor = unsafe unownedExecutor
    guard let owner = unsafe executor.asSerialExecutor(), owner !== self else { return nil }
    return unsafe ForeignExecutor(executor, owner: owner)
  }
}
