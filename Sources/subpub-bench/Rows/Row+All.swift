extension Row {
  static let all: [Row] =
    publishingThread + serialQueue + mainActor + pool + sequences + conflated + subscribing + wakeUp
    + suspendedQueue + publishingThreads + delegates + bytes + objects
}
