import SubPub
import Support

/// One history of a poll that waits for listeners, and of clients that come and go, of which one stays.
final class PollSimulation: SimulatedHistory, @unchecked Sendable {
  private var manager: LoadingManager<Int>?
  private var listeners: [ScopedSubscription] = []
  private var loads = 0

  init(_ scheduler: Scheduler) {
    super.init(scheduler, tasks: .concurrent)
    let options = LoadingOptions<Int>(on: tasks, clock: StandInClock { scheduler.point() }) { options in
      options.staleAfter = .seconds(1)
      #if DEBUG
        options.schedulingPoints = scheduler.schedulingPoints
      #endif
    }
    let manager = LoadingManager(options) { self.load() }
    manager.publisher.neverLookForDead()
    self.manager = manager
  }

  override func play() -> Bool {
    var clients = (0..<Scheduler.clients - 1).map { number in { self.listen(stays: number == 0) } }
    clients.append { self.poll() }
    guard scheduler.run(clients) else { return false }
    if openTasks > 0 { problems.append("5.17: somebody listens, and the poll doesn't load") }
    if loads != 1 { problems.append("5.17: \(loads) loads in place of one") }
    return true
  }

  override var overlaps: Bool { true }
  override func end() { (manager, listeners) = (nil, []) }

  private func load() -> Int {
    loads += 1
    scheduler.note(.finished, loads)
    return makeNumber()
  }

  /// Ends after the first load, which needs a listener.
  private func poll() {
    guard let manager else { return }
    scheduler.note(.drain)
    task {
      await manager.refresh(every: { _ in nil }, pausingWithoutListeners: true)
      self.scheduler.note(.returned)
    }
  }

  private func listen(stays: Bool) {
    guard let publisher = manager?.publisher else { return }
    for isLast in [false, false, true] {
      scheduler.note(.subscribe)
      scheduler.point()
      let listener = publisher.observe(on: .immediate) { _ in }
      scheduler.point()
      if stays, isLast { return listeners.append(listener) }
      listener.cancel()
      scheduler.note(.cancel)
      scheduler.point()
    }
  }
}
