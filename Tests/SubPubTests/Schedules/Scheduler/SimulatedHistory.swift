import SubPubTesting

/// One history: stand-ins whose jobs wait to be drawn, and what went wrong.
///
/// Only accessed by the strand that has the turn, or by the scheduler's caller while no strand has it.
class SimulatedHistory: @unchecked Sendable {
  let scheduler: Scheduler
  var problems: [String] = []
  /// Tasks that haven't ended.
  var openTasks = 0
  final var sources: [any JobSource] = []
  private var numbers = 0

  init(_ scheduler: Scheduler) {
    self.scheduler = scheduler
    scheduler.reset()
  }

  /// Runs and checks it; returns false if it never ends.
  func play() -> Bool { true }

  /// Whether operations of different clients overlap.
  var overlaps: Bool { false }

  /// Releases everything.
  func end() {}

  final func draw(_ bound: Int) -> Int { scheduler.draw(bound) }

  /// A number that is used only once.
  final func makeNumber() -> Int {
    numbers += 1
    return numbers
  }

  final var hasJob: Bool { sources.contains { $0.isReady } }

  /// Runs one job on the calling strand.
  func runJob() {
    let ready = sources.filter(\.isReady)
    ready[draw(ready.count)].runOne()
  }
}
