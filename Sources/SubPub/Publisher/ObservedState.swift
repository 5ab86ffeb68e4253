public import Observation

/// The state of a publisher as an observable property, for SwiftUI and `withObservationTracking`.
///
/// A view that reads one of its properties is updated when that property changes:
///
/// ```swift
/// import Observation
/// import SubPub
///
/// let publisher = Publisher<[String]>(label: "news")
/// let news = ObservedState(publisher)
/// withObservationTracking {
///   print(news.isLoading ? "loading" : "\(news.value ?? [])")
/// } onChange: {
///   print("time to draw again")
/// }
/// ```
///
/// It follows the publisher on the main actor, with `.latest` buffering: of the states that arrive while the main actor
/// is busy, it shows only the newest. So the main actor has to run, as for every main-actor subscriber. It keeps the
/// publisher alive, but not its manager, and follows until it is released.
@MainActor @Observable
public final class ObservedState<Value: Sendable> {
  /// The newest state that has arrived; at first, the publisher's state at the time of `init`.
  public private(set) var state: LoadState<Value>
  /// Whether the state is `loading`; changes only when that begins or ends.
  ///
  /// A quiet refresh (5.18) keeps the state, so it doesn't count.
  public private(set) var isLoading: Bool

  /// The loaded value, or the previous one while loading and after an error; changes with ``state``.
  public var value: Value? { state.value }

  /// The error of a failed load, nil in every other state; changes with ``state``.
  public var error: (any Error)? { state.error }

  /// Held, because a derived publisher may have no other owner.
  @ObservationIgnored private let publisher: any StatePublisher<Value>
  @ObservationIgnored private var version: UInt64
  @ObservationIgnored private var observation: ScopedSubscription?

  /// Follows a publisher.
  ///
  /// - Parameter publisher: The publisher, which is held.
  public init(_ publisher: some StatePublisher<Value>) {
    self.publisher = publisher
    let current = publisher.current
    state = current.state
    isLoading = current.phase == .loading
    version = current.version
    observation = publisher.observe(buffering: .latest) { [weak self] in self?.show($0) }
  }

  private func show(_ publication: Publication<Value>) {
    // The first delivery is usually the state that is already shown.
    guard publication.version != version else { return }
    version = publication.version
    state = publication.state
    let isLoading = publication.phase == .loading
    if self.isLoading != isLoading { self.isLoading = isLoading }
  }
}
