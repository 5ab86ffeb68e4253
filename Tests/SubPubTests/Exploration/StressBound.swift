import Foundation

/// How often a strand may be interrupted in an exploration: `EXPLORE_BOUND`, or once.
enum StressBound {
  static let current = ProcessInfo.processInfo.environment["EXPLORE_BOUND"].flatMap(Int.init) ?? 1
}
