import SubPub
import Support

/// One history of clients that edit, load, and change the data of one manager.
final class EditSimulation: SimulatedHistory, @unchecked Sendable {
  typealias Operation = Linearizability<EditModel>.Operation

  /// Nil once it is released.
  private var manager: LoadingManager<[Int]>?
  private var observation: ScopedSubscription?
  private var start = EditModel()
  private var sent: Set<Int> = []
  private var sending = 0
  private var operations: [Operation] = []
  /// Edits whose sending has ended, and whose callers haven't returned.
  private var endings: [Int: (step: Int, ending: EditModel.Effect.Ending)] = [:]
  /// Edits whose callers were cancelled, and which may wait to be sent, or have been dropped meanwhile.
  private var waiting: [Int: Operation] = [:]
  /// What was published, by version.
  private var known: [UInt64: EditModel.Content] = [:]

  init(_ scheduler: Scheduler) {
    super.init(scheduler, tasks: .concurrent)
    // Other strands may run between the reading of the state and the turn that changes it.
    let clock = StandInClock { scheduler.point() }
    let options = LoadingOptions<[Int]>(on: tasks, clock: clock) { options in
      options.staleAfter = .seconds(1)
      options.sends = scheduler.draw(3) == 0 ? .oneAtATime : .concurrent
      options.initial = scheduler.draw(3) == 0 ? nil : [0]
      options.isUnchanged = { _, _ in
        scheduler.point()
        return false
      }
    }
    start.isSerial = options.sends == .oneAtATime
    let manager = LoadingManager(options) { try await self.load() }
    self.manager = manager
    let current = manager.publisher.current
    (start.version, start.phase, start.server) = (current.version, current.phase, current.state.value)
    observation = manager.publisher.observe(on: .immediate) { publication in
      self.known[publication.version] = EditModel.Content(publication)
    }
  }

  override func play() -> Bool {
    let client = { () -> Void in self.task { for _ in 0..<8 { await self.perform() } } }
    guard scheduler.run(Array(repeating: client, count: Scheduler.clients)) else { return false }
    check()
    return true
  }

  override var overlaps: Bool {
    let sorted = operations.sorted { $0.invocation < $1.invocation }
    return zip(sorted, sorted.dropFirst()).contains { $0.response > $1.invocation }
  }

  override func end() { (manager, observation) = (nil, nil) }

  private func check() {
    if openTasks > 0 { problems.append("5.20: \(openTasks) clients never end") }
    // Nobody waited for the end of these.
    for (edit, found) in endings {
      operations.append(Operation(invocation: found.step, response: .max, effect: .end(edit, found.ending)))
    }
    operations += waiting.values.sorted { $0.invocation < $1.invocation }
    let last = manager?.publisher.current.version
    let isLinearizable = Linearizability.holds(operations, known: known, from: start) {
      $0.version == last && $0.load == nil && $0.edits.isEmpty
    }
    if !isLinearizable {
      problems.append("5.20: the history is not linearizable: \(known.sorted { $0.key < $1.key })")
    }
  }
}

/// The operations of clients, which run in tasks on the strands.
extension EditSimulation {
  private func perform() async {
    guard let manager else { return }
    let publisher = manager.publisher
    switch scheduler.draw(15) {
    case 0...5: await edit(manager)
    case 14:
      let news = [1_000 + makeNumber()]
      await record(.push(news), as: .updateData) {
        await manager.merge { data in
          self.scheduler.point()
          return data + news
        }
      }
    case 6, 7: await record(.beginLoad, as: .startLoading) { await manager.refresh(restarting: true) }
    case 8: await record(.cancelLoad, as: .cancel) { manager.cancel() }
    case 9:
      let value = [1_000 + makeNumber()]
      await record(.set(value), as: .updateData) { manager.set(value) }
    case 10:
      switch scheduler.draw(3) {
      case 0: await record(.reset, as: .reset) { manager.logout() }
      case 1: await record(.startLoading, as: .startLoading) { publisher.startLoading() }
      default: await record(.fail, as: .setError) { publisher.setError(Failure.denied) }
      }
    default:
      let invocation = scheduler.note(.read)
      scheduler.point()
      let current = publisher.current
      scheduler.point()
      add(.read(version: current.version, EditModel.Content(current)), from: invocation)
    }
  }

  private func record<R>(_ effect: EditModel.Effect, as kind: Trace.Kind, _ body: () async -> R) async {
    let invocation = scheduler.note(kind)
    scheduler.point()
    _ = await body()
    add(effect, from: invocation)
  }

  private func add(_ effect: EditModel.Effect, from invocation: Int) {
    operations.append(Operation(invocation: invocation, response: scheduler.note(.returned), effect: effect))
  }

  /// Edits, and waits for the end of that unless the caller is cancelled.
  private func edit(_ manager: LoadingManager<[Int]>) async {
    let (edit, reply) = (makeNumber(), [Reply.nothing, .part, .all][scheduler.draw(3)])
    let invocation = scheduler.note(.update, edit)
    let showing: @Sendable ([Int]) -> [Int] = {
      self.scheduler.point()
      return $0 + [edit]
    }
    let task = Task(executorPreference: tasks) {
      do {
        switch reply {
        case .all:
          try await manager.mutate(showing: showing) { try await self.send(edit, reply, since: invocation) }
        case .part:
          let send = { @Sendable in try await self.send(edit, reply, since: invocation) }
          try await manager.mutate(showing: showing, send: send) { data, answer in
            self.scheduler.point()
            return data + answer
          }
        case .nothing:
          try await manager.mutate(
            showing: showing, sendOnly: { _ = try await self.send(edit, reply, since: invocation) })
        }
      } catch is CancellationError {
        if self.start.isSerial, !self.sent.contains(edit) {
          let response = self.scheduler.note(.returned)
          self.waiting[edit] = Operation(invocation: invocation, response: response, effect: .mayShow(edit))
        }
        return
      } catch is EditDropped {
        self.add(.show(edit), from: invocation)
        self.add(.drop(edit), from: invocation)
      } catch {}
      if let found = self.endings.removeValue(forKey: edit) { self.add(.end(edit, found.ending), from: found.step) }
    }
    if scheduler.draw(4) == 0 {
      for _ in 0..<scheduler.draw(3) { await Task.yield() }
      // The runtime calls the handlers under a lock of the task.
      scheduler.undisturbed { task.cancel() }
    }
    await task.value
  }

  private enum Reply { case nothing, part, all }

  /// The server, which refuses, accepts, or answers an edit.
  private func send(_ edit: Int, _ reply: Reply, since invocation: Int) async throws -> [Int] {
    // The edit was shown before it was sent.
    add(.show(edit), from: invocation)
    if start.isSerial {
      (waiting[edit], _) = (nil, sent.insert(edit))
      add(.send(edit), from: invocation)
      if sending > 0 { problems.append("5.24: \(edit) is sent while another edit is") }
    }
    sending += 1
    defer { sending -= 1 }
    for _ in 0..<scheduler.draw(4) { await Task.yield() }
    let (isRefused, value) = (scheduler.draw(3) == 0, [1_000 + makeNumber()])
    let ending: EditModel.Effect.Ending =
      switch reply {
      case .nothing: .accepted
      case .part: .merged(value)
      case .all: .answered(value)
      }
    endings[edit] = (scheduler.note(.finished, edit), isRefused ? .refused : ending)
    if isRefused { throw Failure.denied }
    return value
  }

  private func load() async throws -> [Int] {
    for _ in 0..<scheduler.draw(4) { await Task.yield() }
    let value = scheduler.draw(4) == 0 ? nil : [1_000 + makeNumber()]
    // Nobody may be waiting for its end any longer.
    operations.append(Operation(invocation: scheduler.note(.finished), response: .max, effect: .endLoad(value)))
    guard let value else { throw Failure.offline }
    return value
  }
}
