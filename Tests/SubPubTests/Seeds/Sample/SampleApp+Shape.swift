extension SampleApp {
  /// A state, without its values.
  enum Shape: String, Hashable, Sendable {
    case unknown, loading, loadingWithPrevious, fresh, stale, error, errorWithPrevious
  }
}
