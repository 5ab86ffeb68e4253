import Dispatch
import SubPub
import Testing

/// Each test explores one cast of threads to the end and prints how far it went.
@Suite("The engine's machines keep the contract in every interleaving", .serialized, .timeLimit(.minutes(5)))
enum ModelTests {
  /// A debug build is some ten times slower.
  #if DEBUG
    static let bound = 1
  #else
    static let bound = 2
  #endif

  /// Explores on a thread of its own: it takes a while.
  static func explore(_ name: String, bound: Int = Self.bound, _ setup: @escaping @Sendable () -> Model.Setup) async
    -> Model.Exploration
  {
    let result = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: Model.Explorer.explore(setup(), bound: bound)) }
    }
    print("\(name), at most \(bound) preemptions: \(result)")
    return result
  }

  /// Explores, and reports the schedule that breaks a rule.
  static func hold(
    _ name: String = #function, at location: SourceLocation = #_sourceLocation,
    _ setup: @escaping @Sendable () -> Model.Setup
  ) async {
    let result = await explore(name, setup)
    if let violation = result.violation {
      Issue.record("\(violation)\n\(result.failure.joined(separator: "\n"))", sourceLocation: location)
    }
  }

  /// Two publishers with two updates each, and whoever else is named.
  static func threads(_ others: (name: String, actions: [Model.Action])...) -> [(name: String, actions: [Model.Action])]
  {
    [("publisher 1", [.publish, .publish]), ("publisher 2", [.publish, .publish])] + others
  }

  private static let queue = DispatchQueue(label: "explorer of the model")
}
