import Dispatch
import SubPub
import Synchronization
import Testing

/// Everything here is written as a user writes it: with the public declarations of two libraries, all of which occur.
///
/// What each does in every case is tested elsewhere, rule by rule; here it is used once. `.ci/client-check` compiles
/// this with both default isolations, so what isn't for the main actor says so.
@Suite("A user who sees only public declarations can write everything", .timeLimit(.minutes(60)))
enum ClientTests {}

/// The errors that are published.
nonisolated enum Failure: Error, Equatable { case offline, denied }

/// A value, as a server sends it.
nonisolated struct Product: Equatable, Sendable { let name: String }

/// A list of what happened, in order, to which any thread can add.
nonisolated final class Journal<Entry: Sendable>: Sendable {
  private let list = Mutex<[Entry]>([])

  func add(_ entry: Entry) { list.withLock { $0.append(entry) } }

  var entries: [Entry] { list.withLock { $0 } }
}

/// An object without a subscriber protocol, which closures get.
nonisolated final class Listener: Sendable {
  let journal = Journal<LoadState<Int>>()
  func note(_ state: LoadState<Int>) { journal.add(state) }
}

/// An actor with the default executor.
actor Tally {
  private(set) var states: [LoadState<Int>] = []
  func add(_ state: LoadState<Int>) { states.append(state) }
}

/// The replay, and the transitions of `publishThree`.
nonisolated let threeStates: [LoadState<Int>] = [
  .unknown, .loading(previous: nil), .loaded(1), .error(Failure.offline, previous: 1),
]

nonisolated func publishThree(_ publisher: Publisher<Int>) {
  publisher.startLoading()
  publisher.updateData(1)
  publisher.setError(Failure.offline)
}

/// Where the calling code runs.
nonisolated enum Here {
  /// Stops unless this runs on the main actor, which is on the main queue.
  static func assertMainActor() {
    MainActor.preconditionIsolated("not on the main actor")
    dispatchPrecondition(condition: .onQueue(.main))
  }

  /// Stops unless this runs on the queue.
  static func assertQueue(_ queue: DispatchQueue) { dispatchPrecondition(condition: .onQueue(queue)) }

  /// Stops if this runs on the main queue or in a task.
  static func assertBackground() {
    dispatchPrecondition(condition: .notOnQueue(.main))
    unsafe withUnsafeCurrentTask { unsafe precondition($0 == nil, "in a task") }
  }
}

/// How long tests wait: ends those that hang, and judges none.
nonisolated let patience = Duration.seconds(3_000)
