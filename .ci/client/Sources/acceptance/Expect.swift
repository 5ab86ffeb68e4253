import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Stops the program with a message unless `condition` holds.
nonisolated func expect(
  _ condition: Bool, _ claim: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
  if !condition { fail(claim(), file: file, line: line) }
}

/// Stops the program with both values unless they are equal.
nonisolated func expectEqual<T: Equatable>(
  _ found: T, _ expected: T, _ what: @autoclosure () -> String,
  file: StaticString = #fileID, line: UInt = #line
) {
  if found != expected { fail("\(what()): \(found) instead of \(expected)", file: file, line: line) }
}

nonisolated func fail(_ message: String, file: StaticString = #fileID, line: UInt = #line) -> Never {
  print("FAILED after “\(Progress.last)”: \(message)  (\(file):\(line))")
  exit(1)
}

/// Reports that a group of expectations held.
nonisolated func passed(_ name: String) {
  Progress.note(name)
  print("ok   \(name)")
}

/// The progress of the program, for failure messages.
nonisolated enum Progress {
  private static let names = Mutex<[String]>(["start"])

  static var last: String { names.withLock { $0[$0.count - 1] } }
  static var count: Int { names.withLock { $0.count - 1 } }
  static func note(_ name: String) { names.withLock { $0.append(name) } }
}
