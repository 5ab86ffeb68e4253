import Dispatch

/// An actor's executor whose `enqueue` and `isIsolatingCurrentContext` are foreign code.
final class StruckExecutor: SerialExecutor {
  private let marked = MarkedQueue(.init(label: "struck"))
  private let intrusion: Intrusion
  var queue: DispatchQueue { marked.queue }

  init(_ intrusion: Intrusion) { self.intrusion = intrusion }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    intrusion.strike()
    queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func isIsolatingCurrentContext() -> Bool? {
    intrusion.strike()
    return marked.isHere
  }

  func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
