import SubPub

/// Counts deaths, and lets a test wait for them.
final class Deaths: Sendable {
  private let event = Event()

  /// Something whose death counts: to be captured, published, or subscribed.
  final class Mortal: Sendable {
    private let deaths: Deaths
    fileprivate init(_ deaths: Deaths) { self.deaths = deaths }
    deinit { deaths.event.happen() }
  }

  func mortal() -> Mortal { Mortal(self) }

  var count: Int { event.count }

  func wait(count: Int = 1, fileID: String = #fileID, line: Int = #line) async throws {
    try await event.wait(count: count, fileID: fileID, line: line)
  }
}
