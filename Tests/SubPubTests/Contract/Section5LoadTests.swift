import SubPub
import SubPubTesting
import Testing

/// Rules 5.01, 5.02 and the publisher's part of 5.06 are tested where its transitions are, in `Publishing`.
@Suite("Section 5: load state", .timeLimit(.minutes(3)))
struct Section5LoadTests {
  typealias State = LoadState<Int>
  typealias Failure = PublishingTests.Failure

  /// A state to begin with, and how it comes about.
  enum Before: String, CaseIterable, Codable, Sendable {
    case unknown, loaded, error, errorWithPrevious, loadingOfAnother, loadingOfAnotherWithPrevious

    func make(at publisher: Publisher<Int>) {
      switch self {
      case .unknown: break
      case .loaded: publisher.updateData(1)
      case .error: publisher.setError(Failure.denied)
      case .errorWithPrevious:
        publisher.updateData(1)
        publisher.setError(Failure.denied)
      case .loadingOfAnother: publisher.startLoading()
      case .loadingOfAnotherWithPrevious:
        publisher.updateData(1)
        publisher.startLoading()
      }
    }
  }
}
