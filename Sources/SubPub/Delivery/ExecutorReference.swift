/// A task executor as a context: two are equal when they are one object.
struct ExecutorReference: Hashable, Sendable {
  let executor: any TaskExecutor
  let isTimed: Bool

  init(_ executor: any TaskExecutor) {
    self.executor = executor
    isTimed = !(executor is any Untimed)
  }

  static func == (left: ExecutorReference, right: ExecutorReference) -> Bool { left.executor === right.executor }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(executor)) }
}
