import Dispatch
import SubPub

/// An actor on a queue of its own, where a drain doesn't look at the clock: however late it is, it hands nothing back.
actor UntimedHost {
  nonisolated let executor: Executor
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  init(_ executor: Executor) { self.executor = executor }

  final class Executor: SerialExecutor, FixedTimeSlice {
    let queue = DispatchQueue(label: "untimed host")

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }
}
