/// The sample of the seeds: an endpoint with random delays and errors, managers that drive publishers, and screens that look, pull, leave and
/// log out, all of it drawn from a seed.
enum SampleApp {
  /// What the endpoint gives: a row of a list, or all there is.
  struct Item: Hashable, Sendable {
    /// Which login asked for it.
    let login: Int
    /// Which call of the endpoint brought it.
    let ticket: Int
    let page: Int
  }

  /// What the endpoint throws.
  struct Refusal: Error, Hashable { let ticket: Int }

  static let staleAfter = Duration.seconds(2)
  static let timeout = Duration.seconds(1)
}
