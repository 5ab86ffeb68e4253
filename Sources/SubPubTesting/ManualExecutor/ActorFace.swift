import SubPub

/// A manual executor as the actors that live on it see it.
///
/// If it were the same object, the runtime would take a task that runs on the executor as being on each of those
/// actors already, and not suspend it on the way there: the points between which a seed can choose would be lost.
final class ActorFace: SerialExecutor, FixedTimeSlice {
  private let board: JobBoard

  init(_ board: JobBoard) { self.board = board }

  func enqueue(_ job: consuming ExecutorJob) { board.append(.isolated(UnownedJob(job))) }

  func isIsolatingCurrentContext() -> Bool? { board.isRunningHere }

  func checkIsolated() { board.checkIsolated() }
}
