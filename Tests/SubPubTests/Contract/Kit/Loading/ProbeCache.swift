import SubPub

/// A cache that notes what it is asked for, and can hold or refuse it.
final class ProbeCache: StateCache {
  /// In the order in which they began and ended.
  enum Entry: Hashable {
    case began(CacheFailure.Operation)
    case ended(CacheFailure.Operation)
  }
  struct Refusal: Error, Equatable { let operation: CacheFailure.Operation }

  private struct State {
    var content: Int?
    var age = Duration.zero
    var entries: [Entry] = []
    var held: [CacheFailure.Operation: [CheckedContinuation<Void, Never>]] = [:]
    var holds: Set<CacheFailure.Operation> = []
    var refuses: Set<CacheFailure.Operation> = []
  }

  private let state: Locked<State>

  init(_ content: Int? = nil, age: Duration = .zero) { state = Locked(State(content: content, age: age)) }

  var content: Int? { state.withLock(\.content) }
  var entries: [Entry] { state.withLock(\.entries) }
  /// What was begun, in order.
  var operations: [CacheFailure.Operation] {
    entries.compactMap { if case .began(let operation) = $0 { operation } else { nil } }
  }
  /// Nothing began before what was under way had ended.
  var isOneAtATime: Bool {
    let entries = entries
    return entries.indices.allSatisfy { index in
      switch entries[index] {
      case .began: index.isMultiple(of: 2)
      case .ended(let operation): !index.isMultiple(of: 2) && entries[index - 1] == .began(operation)
      }
    }
  }

  /// Keeps operations of that kind, from their beginning on, until it lets them go.
  func hold(_ operation: CacheFailure.Operation) { state.withLock { _ = $0.holds.insert(operation) } }

  func letGo(_ operation: CacheFailure.Operation) {
    let held = state.withLock { state in
      state.holds.remove(operation)
      return state.held.removeValue(forKey: operation) ?? []
    }
    for continuation in held { continuation.resume() }
  }

  func refuse(_ operations: CacheFailure.Operation...) { state.withLock { $0.refuses = Set(operations) } }

  func read() async throws -> Cached<Int>? {
    try await perform(.read) { state in state.content.map { Cached(value: $0, age: state.age) } }
  }

  func write(_ value: Int) async throws { try await perform(.write) { $0.content = value } }

  func clear() async throws { try await perform(.clear) { $0.content = nil } }

  private func perform<R: Sendable>(
    _ operation: CacheFailure.Operation, _ body: @Sendable (inout State) -> R
  ) async throws -> R {
    state.withLock { $0.entries.append(.began(operation)) }
    await withCheckedContinuation { continuation in
      let isHeld = state.withLock { state in
        if state.holds.contains(operation) { state.held[operation, default: []].append(continuation) }
        return state.holds.contains(operation)
      }
      if !isHeld { continuation.resume() }
    }
    // Others get their turn.
    await Task.yield()
    return try state.withLock { state in
      state.entries.append(.ended(operation))
      if state.refuses.contains(operation) { throw Refusal(operation: operation) }
      return body(&state)
    }
  }
}
