import SubPub

extension Model {
  /// One run: the engine's state, the threads, and what the checks remember.
  final class World {
    let setup: Setup
    let ledger = Ledger()
    let registry: PublisherRegistry
    let subjects: [Subject]
    var objects: [Mortal?]
    var tracks: [Track] = []
    var threads: [Thread] = []
    /// The thread that made the last step.
    var running = 0
    /// The thread inside a turn, if that is more than a step.
    var inTurn: Int?
    /// Tasks that wait.
    var waiters: [WaiterID: Int] = [:]
    /// Who holds the publisher.
    var owners = 0
    /// The first rule that was broken, and how.
    private(set) var violation: String?
    private var states = 1

    private static let id = Publisher<Int>(label: "model").id

    init(_ setup: Setup) {
      self.setup = setup
      registry = PublisherRegistry(Self.id, initial: Mortal(.state, 0, ledger))
      subjects = setup.plans.enumerated().map { Subject($0, $1) }
      objects = (0...setup.plans.map { max($0.object, $0.actor ?? 0) }.max()!).map { [ledger] in
        Mortal(.subscriber, $0, ledger)
      }
      prepare()
      for (name, actions) in setup.threads {
        threads.append(Thread(name: name, lane: nil))
        if actions.contains(where: { if case .leave = $0 { true } else { false } }) { owners += 1 }
        apply(.calls(Program(actions)), to: threads.count - 1)
      }
      running = -1
    }

    /// Those who are there from the start subscribe, and are served.
    private func prepare() {
      let present = subjects.filter(\.plan.isPresent).map { Action.subscribe($0.number) }
      threads = [Thread(name: "start", lane: nil)]
      apply(.calls(Program(present)), to: 0)
      while let next = threads.indices.first(where: isReady) { step(next) }
      threads = []
      for track in tracks { track.drainer = nil }
    }

    func fail(_ rule: String) { if violation == nil { violation = rule } }

    func makeState() -> Mortal {
      defer { states += 1 }
      return Mortal(.state, states, ledger)
    }

    func has(_ fault: Fault) -> Bool { setup.fault == fault }
  }
}

extension Model.World {
  /// Does the next step of that thread.
  func step(_ thread: Int) {
    running = thread
    guard let call = threads[thread].calls.last else { return fail("a thread goes on after its end") }
    if case .wakeup = call.need { threads[thread].isResumed = false }
    apply(call.step(self), to: thread)
  }

  func isReady(_ thread: Int) -> Bool {
    guard let call = threads[thread].calls.last else { return false }
    switch call.need {
    case .nothing: return true
    case .turn: return inTurn == nil
    case .wakeup: return threads[thread].isResumed
    }
  }

  /// A thread that a wake starts, or an executor's job.
  func spawn(_ drain: Model.DrainCall, _ lane: Model.Track) {
    threads.append(Model.Thread(name: "lane \(lane.number)", lane: lane))
    apply(.calls(drain), to: threads.count - 1)
  }

  private func apply(_ first: Model.Progress, to thread: Int) {
    var progress = first
    while true {
      switch progress {
      case .stays: return
      case .becomes(let call):
        threads[thread].calls[threads[thread].calls.count - 1] = call
        progress = call.advance(self)
      case .calls(let call):
        threads[thread].calls.append(call)
        progress = call.advance(self)
      case .ends:
        threads[thread].calls.removeLast()
        guard let caller = threads[thread].calls.last else { return }
        progress = caller.advance(self)
      }
    }
  }
}
