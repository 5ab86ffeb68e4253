/// Nobody's actor: isolates what must not be called, so that the error names the reason. See
/// `Publisher.subscribe(_:on:buffering:calling:)`.
@globalActor
public actor MainActorMethodsTakeNoDelivery {
  /// Required of a global actor; has no use.
  public static let shared = MainActorMethodsTakeNoDelivery()
}
