/// A context whose subscriptions at one publisher share a lane, as a key that can be compared inside a turn.
///
/// An actor counts by its place. Whoever looks a lane up holds the actor, so a living one that is found at that place
/// is the same, and to load it can't be the last to let go of it.
enum SharedContext: Hashable {
  case main
  case queue(QueueReference)
  case actor(ObjectIdentifier)

  /// Nil where each subscription has a lane of its own, and for the publishing thread, which is not looked up.
  init?(_ context: Delivery.Context) {
    switch context {
    case .main: self = .main
    case .queue(let reference, independent: false): self = .queue(reference)
    case .actor(let reference): self = .actor(reference.id)
    case .immediate, .background, .executor, .queue(_, independent: true), .iteration: return nil
    }
  }
}
