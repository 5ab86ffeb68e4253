/// Runs every job at once, on top of what enqueues it, and counts how many are on top of each other.
final class DepthExecutor: TaskExecutor {
  let depth = Depth()

  func enqueue(_ job: consuming ExecutorJob) {
    depth.enter()
    defer { depth.leave() }
    unsafe UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
  }
}
