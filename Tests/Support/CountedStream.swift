import Dispatch
package import SubPub
import Synchronization

/// The streams of a manager, whose elements carry the numbers of their run and of their place in it.
///
/// Checks that no two runs overlap, and that each element is published before the next is asked for. Elements flow only
/// while somebody waits for one: a flood without end could keep a publishing thread for ever.
package final class CountedStream: Sendable {
  package struct Element: Hashable, Sendable, CustomStringConvertible {
    package let run: Int
    package let index: Int
    package var description: String { "\(run).\(index)" }
  }

  private struct Flow {
    var waiting = 0
    var suspended: [CheckedContinuation<Void, Never>] = []
  }

  private struct WeakPublisher { weak let publisher: Publisher<Element>? }

  private let opened = Atomic<Int>(0)
  private let open = Atomic<Int>(0)
  private let publisher = Guarded<WeakPublisher?>(nil)
  private let findings = Findings()
  private let flow = Guarded(Flow())
  private let closed: @Sendable () -> Void

  /// Creates the source; `closed` is called when a run's iterator has been released.
  package init(closed: @escaping @Sendable () -> Void = {}) { self.closed = closed }

  /// Makes a manager that follows these streams.
  package func makeManager(keepingAlive: Duration = .zero) -> StreamManager<Element> {
    let manager = StreamManager(label: "counted", keepingAlive: keepingAlive) { [self] in openRun() }
    publisher.with { $0 = WeakPublisher(publisher: manager.publisher) }
    return manager
  }

  /// The number of runs so far.
  package var runs: Int { opened.load(ordering: .acquiring) }
  /// The violations of rule 5.21.
  package var violations: [Violation] { findings.violations }

  fileprivate func report(_ violation: String) { findings.expect(false, "5.21", violation) }

  /// Lets elements flow while the body runs.
  package func flowing(_ body: () -> Void) {
    flow.with { $0.waiting += 1 }
    resume()
    body()
    flow.with { $0.waiting -= 1 }
  }

  private func resume() {
    let resumed = flow.with { flow in
      defer { flow.suspended = [] }
      return flow.suspended
    }
    for continuation in resumed { continuation.resume() }
  }

  /// Returns when somebody waits for an element, or the task is cancelled.
  private func waitForDemand() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDue = flow.with { flow in
          let isDue = flow.waiting > 0 || Task.isCancelled
          if !isDue { flow.suspended.append(continuation) }
          return isDue
        }
        if isDue { continuation.resume() }
      }
    } onCancel: {
      resume()
    }
  }

  private func openRun() -> Elements {
    if open.add(1, ordering: .acquiringAndReleasing).newValue > 1 { report("two runs at once") }
    return Elements(life: Life(self), run: opened.add(1, ordering: .acquiringAndReleasing).oldValue)
  }

  private final class Life: Sendable {
    let stream: CountedStream

    init(_ stream: CountedStream) { self.stream = stream }

    deinit {
      stream.open.subtract(1, ordering: .acquiringAndReleasing)
      stream.closed()
    }
  }

  private struct Elements: AsyncSequence, AsyncIteratorProtocol, Sendable {
    let life: Life
    let run: Int
    var index = 0

    func makeAsyncIterator() -> Elements { self }

    /// Every other run ignores its cancellation.
    mutating func next() async throws -> Element? {
      let last = Element(run: run, index: index - 1)
      if index > 0, let state = life.stream.publisher.with({ $0?.publisher })?.state, state.value != last {
        life.stream.report("the element after \(last) is asked for in the state \(state)")
      }
      await life.stream.waitForDemand()
      // The pool has few threads, and other streams need them, too.
      await Task.yield()
      if Task.isCancelled, run.isMultiple(of: 2) { return nil }
      defer { index += 1 }
      return Element(run: run, index: index)
    }
  }
}

/// A listener that checks that no element is lost or repeated while a stream runs.
package final class StreamListener: TypedSubscriber {
  private struct State {
    var last: CountedStream.Element?
    var hasSeenLoading = false
    var states = 0
  }

  private let stream: CountedStream
  private let state = Guarded(State())
  private let arrived = DispatchSemaphore(value: 0)

  package init(_ stream: CountedStream) { self.stream = stream }

  package func receive(_ new: LoadState<CountedStream.Element>) {
    let (isElement, problem) = state.with { state in
      state.states += 1
      let (last, isFirst) = (state.last, state.states == 1)
      switch new {
      case .unknown: return (false, isFirst ? nil : "unknown")
      case .loading:
        state.hasSeenLoading = true
        return (false, nil)
      case .error: return (false, "an error")
      case .loaded(let element):
        defer { (state.last, state.hasSeenLoading) = (element, false) }
        if isFirst { return (false, nil) }
        let next = state.hasSeenLoading ? 0 : last?.run == element.run ? (last?.index ?? 0) + 1 : nil
        return (true, element.index == next ? nil : "\(element) after \(last.map { "\($0)" } ?? "nothing")")
      }
    }
    if let problem { stream.report("a listener has received \(problem)") }
    if isElement { arrived.signal() }
  }

  /// Blocks until an element arrives that isn't the replay.
  package func waitForElement() {
    stream.flowing {
      if !TestLimit.wait({ arrived.wait(timeout: $0) }) { stream.report("a listener waits in vain") }
    }
  }
}
