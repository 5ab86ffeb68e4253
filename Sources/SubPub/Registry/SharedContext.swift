/// A context whose subscriptions at one publisher share a lane, as a key that can be compared inside a turn.
///
enum SharedContext: Hashable {
  case main
  case queue(QueueReference)
  case actor(ActorReference)

  /// Nil where each subscription has a lane of its own, and for the publishing thread, which is not looked up.
  init?(_ context: Delivery.Context) {
    switch context {
    case .main: self = .main
    case .queue(let reference, independent: false): self = .queue(reference)
    case .actor(let reference): self = .actor(reference)
    case .immediate, .background, .executor, .queue(_, independent: true), .iteration: return nil
    }
  }
}
