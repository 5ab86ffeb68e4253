/// A kind of context.
enum Venue: Int, CaseIterable, Sendable {
  case immediate, main, background, serialQueue, concurrentQueue, independent, queueExecutor, concurrentExecutor
  case actor, queueActor
  /// A task that iterates a sequence.
  case task

  /// One publisher's subscriptions that name the same such context share a lane.
  var isShared: Bool {
    switch self {
    case .immediate, .main, .serialQueue, .concurrentQueue, .actor, .queueActor: true
    case .background, .independent, .queueExecutor, .concurrentExecutor, .task: false
    }
  }

  /// Runs one thing at a time, whoever asks for it.
  var isExclusive: Bool {
    switch self {
    case .main, .serialQueue, .queueExecutor, .actor, .queueActor: true
    case .immediate, .background, .concurrentQueue, .independent, .concurrentExecutor, .task: false
    }
  }
}
