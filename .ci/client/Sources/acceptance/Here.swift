import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Where the calling code runs.
nonisolated enum Here {
  private static let queueName = DispatchSpecificKey<String>()
  private static let main = "main"

  /// The thread's number, which can be kept and compared.
  static var thread: UInt {
    #if canImport(Darwin)
      UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }

  /// Marks the main queue.
  ///
  /// On Linux the main actor runs on it, and leaves the main thread at its first suspension.
  static func markMainQueue() { DispatchQueue.main.setSpecific(key: queueName, value: main) }

  /// A queue that `expectQueue` recognizes.
  static func makeQueue(_ name: String, concurrent: Bool = false) -> DispatchQueue {
    let queue = DispatchQueue(label: name, attributes: concurrent ? .concurrent : [])
    queue.setSpecific(key: queueName, value: name)
    return queue
  }

  static func expectQueue(_ name: String, file: StaticString = #fileID, line: UInt = #line) {
    let found = DispatchQueue.getSpecific(key: queueName) ?? "no marked queue"
    expectEqual(found, name, "the queue", file: file, line: line)
  }

  /// Stops unless this runs on the main actor.
  static func expectMainActor(file: StaticString = #fileID, line: UInt = #line) {
    expectQueue(main, file: file, line: line)
    MainActor.preconditionIsolated("not on the main actor")
  }

  /// Stops if this runs on the main actor, on a queue of this program, or in a task.
  static func expectBackground(file: StaticString = #fileID, line: UInt = #line) {
    let queue = DispatchQueue.getSpecific(key: queueName)
    expect(queue == nil, "on the queue \(queue ?? "")", file: file, line: line)
    withUnsafeCurrentTask { expect($0 == nil, "in a task", file: file, line: line) }
  }

  /// Stops unless this runs isolated to `actor`.
  static func expectActor(_ actor: any Actor) { actor.preconditionIsolated("not on the actor") }

  static func expectThread(_ expected: UInt, file: StaticString = #fileID, line: UInt = #line) {
    expectEqual(thread, expected, "the thread", file: file, line: line)
  }
}
