import SubPub
import SubPubTesting

/// A batched loader whose every step runs when the test says so, on the test's thread.
final class BatchBench: Sendable {
  typealias Answer = Result<String, any Error>

  let executor = ManualExecutor()
  let clock = ManualClock()
  let source: Source<[Int: String]>
  private let asked = Locked<[[Int]]>([])
  private let batcher: KeyBatcher<Int, String>

  init(maximum: Int = 3, within window: Duration = .seconds(5), clock other: (any Clock<Duration>)? = nil) {
    let source = Source<[Int: String]>()
    self.source = source
    batcher = KeyBatcher(maximum: maximum, within: window, clock: other ?? clock, executor: executor) { [asked] keys in
      asked.withLock { $0.append(keys.sorted()) }
      return try await source.load()
    }
  }

  deinit {
    source.close()
    repeat { executor.runAll() } while clock.advanceToNextDeadline()
  }

  /// The keys of each request so far.
  var requests: [[Int]] { asked.withLock { $0 } }

  /// Asks for a key, and runs until that waits or has ended.
  @discardableResult func ask(_ key: Int) -> Caller<Answer> {
    let caller = Caller(on: executor) { [batcher] in
      do { return Answer.success(try await batcher.value(of: key)) } catch { return Answer.failure(error) }
    }
    executor.runAll()
    return caller
  }

  func cancel(_ caller: Caller<Answer>) {
    caller.cancel()
    executor.runAll()
  }

  func pass(_ duration: Duration) {
    clock.advance(by: duration)
    executor.runAll()
  }

  func answer(_ request: Int, _ values: [Int: String]) {
    source.answer(request, .success(values))
    executor.runAll()
  }

  func fail(_ request: Int, _ error: any Error) {
    source.fail(request, error)
    executor.runAll()
  }
}

extension Caller where Result == BatchBench.Answer {
  var value: String? { try? result?.get() }

  var error: (any Error)? {
    guard case .failure(let error) = result else { return nil }
    return error
  }
}
