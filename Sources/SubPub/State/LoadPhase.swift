/// Which of the four states a load is in, without its data.
@frozen public enum LoadPhase: Hashable, Sendable {
  /// Nothing was asked for yet, or everything was cleared by `reset()`.
  case unknown
  /// New data was asked for and has not come yet.
  case loading
  /// Data is there.
  case loaded
  /// The last attempt to load failed.
  case error
}
