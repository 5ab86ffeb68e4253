import Foundation
import Testing

/// Another path to a folder, so long that the system takes some hundred microseconds to follow it. Each step of a cache
/// that uses this path takes as long, which leaves time for something else to happen between two steps.
struct LongWay {
  /// The folder, by the long way.
  let url: URL
  /// How long the system takes to get there.
  let duration: Duration

  private let links: TemporaryFolder

  init(to folder: TemporaryFolder) throws {
    links = try TemporaryFolder()
    // Links to links, each with many steps that lead nowhere. Darwin follows no more than 32 links in one path, and
    // some file systems have no room for links of more than 1,024 bytes.
    let steps = 400
    var target = folder.url.path(percentEncoded: false) + String(repeating: "/.", count: steps)
    for number in 0..<30 {
      let link = links.url.appending(path: "\(number)").path(percentEncoded: false)
      try #require(unsafe symlink(target, link) == 0)
      target = String(repeating: "./", count: steps) + "\(number)"
    }
    let url = links.url.appending(path: "29")
    let path = url.appending(path: "none").path(percentEncoded: false)
    let durations = (0..<5).map { _ in ContinuousClock().measure { _ = unsafe access(path, F_OK) } }
    self.url = url
    duration = try #require(durations.min())
  }
}
