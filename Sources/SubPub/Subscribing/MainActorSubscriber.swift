/// The same as `Subscriber`, for classes of the main actor; delivered there, and never released by the library on
/// another thread (rule 2.05).
@MainActor
public protocol MainActorSubscriber: AnyObject, Sendable {
  /// Called for every delivery, on the main actor.
  func receive(_ publication: any AnyPublication)
}
