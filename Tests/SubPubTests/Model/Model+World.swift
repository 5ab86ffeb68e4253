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
        threads.append(Thread(name: name))
        if actions.contains(where: { if case .leave = $0 { true } else { false } }) { owners += 1 }
        apply(.calls(Program(actions)), to: threads.count - 1)
      }
      running = -1
    }

    /// Those who are there from the start subscribe.
    private func prepare() {
      threads = [Thread(name: "start")]
      for subject in subjects where subject.plan.isPresent {
        apply(.calls(SubscribeCall(subject)), to: 0)
        while isReady(0) { step(0) }
      }
      for track in tracks {
        if !track.runner.signal.isIdle { serve(track.runner) }
        track.drainer = nil
      }
      threads = []
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
  /// Delivers the first state to a whole lane at once: a run begins after that.
  private func serve(_ lane: LaneRunner) {
    var batch = Batch()
    var after = AfterTurn()
    _ = registry.turn { $0.withDrainedLane(lane, &after) { $0.resume(&batch, &$1) } }
    for subject in subjects where subject.track?.runner === lane {
      guard let subscription = subject.subscription, let item = batch.current else { continue }
      _ = subscription.gate.begin(item.ordinal, from: subscription.gate.reading)
      if let bounds = subscription.bounds, bounds.admits(item.ordinal, newest: item.ordinal), bounds.rule == .oldest {
        lane.raiseFullAt(to: bounds.fullAt)
      }
      subscription.bounds?.delivered(item.ordinal)
      subscription.gate.end(item.ordinal)
      (subject.last, subject.count) = (item.ordinal, 1)
    }
    batch.current = nil
    _ = registry.turn { $0.withDrainedLane(lane, &after) { $0.next(&batch, &$1) } }
  }

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
    case .end(let other): return threads[other].isOver
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
