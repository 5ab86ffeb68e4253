import SubPub
import Synchronization

/// A source with an AsyncStream for each consumer.
final class AsyncStreamSource: StateSource {
  private let continuations = Mutex<[AsyncStream<LoadState<[Int]>>.Continuation]>([])

  deinit {
    continuations.withLock { continuations in
      for continuation in continuations { continuation.finish() }
    }
  }

  func states() -> AsyncStream<LoadState<[Int]>> {
    let (stream, continuation) = AsyncStream<LoadState<[Int]>>.makeStream()
    continuations.withLock { $0.append(continuation) }
    return stream
  }

  func publish(_ value: [Int]) {
    continuations.withLock { continuations in
      for continuation in continuations { continuation.yield(.loaded(value)) }
    }
  }
}
