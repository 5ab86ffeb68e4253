import SubPub
import SubPubTesting

/// A cache that records its operations, and can hold or refuse them.
final class ProbeCache: StateCache {
  struct Refusal: Error, Equatable { let operation: CacheFailure.Operation }

  private struct State {
    var content: Int?
    var age = Duration.zero
    var operations: [CacheFailure.Operation] = []
    var gates: [CacheFailure.Operation: AsyncGate] = [:]
    var refuses: Set<CacheFailure.Operation> = []
  }

  private let state: Locked<State>
  private let depth = NestingDepth()

  init(_ content: Int? = nil, age: Duration = .zero) { state = Locked(State(content: content, age: age)) }

  var content: Int? { state.withLock(\.content) }
  /// The age that the value was written with.
  var age: Duration { state.withLock(\.age) }
  /// The operations that have begun, in order.
  var operations: [CacheFailure.Operation] { state.withLock(\.operations) }
  /// Whether each operation ended before the next one began.
  var isOneAtATime: Bool { depth.deepest <= 1 }

  /// Holds operations of a kind as soon as they begin, until `release(_:)`.
  func hold(_ operation: CacheFailure.Operation) { state.withLock { $0.gates[operation] = AsyncGate() } }

  func release(_ operation: CacheFailure.Operation) {
    state.withLock { $0.gates.removeValue(forKey: operation) }?.open()
  }

  func refuse(_ operations: CacheFailure.Operation...) { state.withLock { $0.refuses = Set(operations) } }

  func read() async throws -> Cached<Int>? {
    try await perform(.read) { state in state.content.map { Cached(value: $0, age: state.age) } }
  }

  func write(_ value: Int) async throws { try await write(value, age: .zero) }

  func write(_ value: Int, age: Duration) async throws {
    try await perform(.write) { ($0.content, $0.age) = (value, age) }
  }

  func clear() async throws { try await perform(.clear) { $0.content = nil } }

  private func perform<R: Sendable>(
    _ operation: CacheFailure.Operation, _ body: @Sendable (inout State) -> R
  ) async throws -> R {
    depth.enter()
    defer { depth.leave() }
    let gate = state.withLock { state in
      state.operations.append(operation)
      return state.gates[operation]
    }
    await gate?.pass()
    await Task.yield()
    let result = state.withLock { state in state.refuses.contains(operation) ? nil : body(&state) }
    guard let result else { throw Refusal(operation: operation) }
    return result
  }
}
