/// A task-local value that travels with a publisher's states (2.10).
///
/// The publisher reads it when it publishes, and every delivery of that state sees it, on every context. So a log line
/// or a span in a subscriber knows which request has caused the state:
///
/// ```swift
/// enum Request { @TaskLocal static var id: String? }
///
/// let news = Publisher<[String]>(label: "news", propagating: [.taskLocal(Request.$id)])
/// news.subscribe(log, on: .background) { log, state in log.write("request \(Request.id ?? "none"): \(state)") }
/// Request.$id.withValue("42") { news.updateData(["one"]) }
/// ```
///
/// A load has the values of the caller that has begun it. Derived publishers propagate what their source does.
public struct PropagatedContext: Sendable {
  let capture: @Sendable () -> any PropagatedValue

  /// Returns a context that propagates one task-local value.
  ///
  /// - Parameter local: The task-local value: the projected value of a property with `@TaskLocal`.
  /// - Returns: The context.
  public static func taskLocal<T: Sendable>(_ local: TaskLocal<T>) -> PropagatedContext {
    PropagatedContext { TaskLocalValue(local: local, value: local.get()) }
  }
}

/// A value that was read at a publish, and that code can run with.
protocol PropagatedValue: Sendable {
  func provide<R>(to body: () throws -> R) rethrows -> R
  func provide<R>(isolation: isolated (any Actor)?, to body: () async throws -> R) async rethrows -> R
}

private struct TaskLocalValue<T: Sendable>: PropagatedValue {
  let local: TaskLocal<T>
  let value: T

  func provide<R>(to body: () throws -> R) rethrows -> R { try local.withValue(value, operation: body) }

  func provide<R>(isolation: isolated (any Actor)?, to body: () async throws -> R) async rethrows -> R {
    try await local.withValue(value, operation: body, isolation: isolation)
  }
}

/// What a publication carries besides its state.
@usableFromInline
package final class Carried: Sendable {
  let values: [any PropagatedValue]
  /// The identifier that the publication has elsewhere; nil for its own.
  let id: PublicationID?
  /// Whether its data isn't that of the process that has given it this identifier.
  let isDataInherited: Bool

  init(values: [any PropagatedValue], id: PublicationID? = nil, isDataInherited: Bool = false) {
    (self.values, self.id, self.isDataInherited) = (values, id, isDataInherited)
  }

  /// Runs code with the values.
  func provide<R>(to body: () throws -> R) rethrows -> R { try Self.provide(values[...], to: body) }

  private static func provide<R>(_ values: ArraySlice<any PropagatedValue>, to body: () throws -> R) rethrows -> R {
    guard let first = values.first else { return try body() }
    return try first.provide { try provide(values.dropFirst(), to: body) }
  }

  func provide<R>(isolation: isolated (any Actor)?, to body: () async throws -> R) async rethrows -> R {
    try await Self.provide(values[...], isolation: isolation, to: body)
  }

  private static func provide<R>(
    _ values: ArraySlice<any PropagatedValue>, isolation: isolated (any Actor)?, to body: () async throws -> R
  ) async rethrows -> R {
    guard let first = values.first else { return try await body() }
    return try await first.provide(isolation: isolation) {
      try await provide(values.dropFirst(), isolation: isolation, to: body)
    }
  }
}

extension BoxedPublication {
  /// Has it carry the values of the publication that has caused it.
  @usableFromInline
  func carryValues(of cause: any BoxedPublication) {
    // Not the identifier, because this is another publisher's publication.
    if let values = cause.carried?.values, !values.isEmpty { carry(Carried(values: values)) }
  }

  /// Runs code with the values that it carries.
  @usableFromInline
  func provideCarried<R>(to body: () throws -> R) rethrows -> R {
    if let carried { try carried.provide(to: body) } else { try body() }
  }
}

extension StatePublication {
  /// Runs code with the values that the publisher has propagated with this publication (2.10).
  ///
  /// Subscribers' functions and closures are called inside it. Use it for publications of a sequence.
  ///
  /// - Parameter body: Called once, on the calling thread.
  /// - Returns: What `body` returns.
  /// - Throws: Rethrows the error that `body` throws.
  public func withPropagatedContext<R>(_ body: () throws -> R) rethrows -> R { try provideCarried(to: body) }

  /// Runs asynchronous code with the values that the publisher has propagated with this publication (2.10).
  ///
  /// - Parameters:
  ///   - isolation: The caller's actor, on which `body` runs.
  ///   - body: Called once.
  /// - Returns: What `body` returns.
  /// - Throws: Rethrows the error that `body` throws.
  public func withPropagatedContext<R>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> R
  ) async rethrows -> R {
    if let carried { try await carried.provide(isolation: isolation, to: body) } else { try await body() }
  }
}
