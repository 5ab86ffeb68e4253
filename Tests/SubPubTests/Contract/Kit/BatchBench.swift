import SubPub
import SubPubTesting

/// A batched loader, step by step.
final class BatchBench: SteppedBench, Sendable {
  typealias Answer = Result<String, any Error>

  let executor = ManualExecutor()
  let clock = ManualClock()
  let source = Source<[Int: String]>()
  let outcome: Void = ()
  private let asked = Locked<[[Int]]>([])
  private let batcher: KeyBatcher<Int, String>

  init(maximum: Int = 3, within window: Duration = .seconds(5), clock other: (any Clock<Duration>)? = nil) {
    batcher = KeyBatcher(maximum: maximum, within: window, clock: other ?? clock, executor: executor) {
      [asked, source] keys in
      asked.withLock { $0.append(keys.sorted()) }
      return try await source.load()
    }
  }

  deinit { finish() }

  /// The keys of each request so far.
  var requests: [[Int]] { asked.withLock { $0 } }

  /// Asks for a key, and runs until that waits or has ended.
  @discardableResult func ask(_ key: Int) -> Caller<Answer> {
    call { [batcher] in
      do { return .success(try await batcher.value(of: key)) } catch { return .failure(error) }
    }
  }

  func answer(_ request: Int, _ values: [Int: String]) {
    source.answer(request, .success(values))
    run()
  }
}

extension Caller where Result == BatchBench.Answer {
  var value: String? { try? result?.get() }

  var error: (any Error)? {
    guard case .failure(let error) = result else { return nil }
    return error
  }
}
