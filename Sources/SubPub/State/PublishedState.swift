public class PublishedState<State: Sendable>: @unchecked Sendable {
  /// The state that was published.
  public let state: State

  @inlinable
  init(_ state: State) { self.state = state }
}
