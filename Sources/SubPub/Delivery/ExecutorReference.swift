/// A task executor as a context: two are equal when they are one object.
struct ExecutorReference: Hashable, Sendable {
  let executor: any TaskExecutor

  static func == (left: ExecutorReference, right: ExecutorReference) -> Bool { left.executor === right.executor }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(executor)) }
}
