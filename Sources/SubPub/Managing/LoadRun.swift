/// The life of one load: what its task does.
struct LoadRun<Value: Sendable>: Sendable {
  private let driver: LoadDriver<Value>
  private let load: Run<Value>
  private let loader: LoadMachine<Value>.Load
  /// The values of the caller, which everything that the load does sees (2.10).
  private let carried: Carried?

  private var options: LoadingOptions<Value> { driver.options }
  private var source: PublisherID { driver.registry.source }

  static func start(_ load: Run<Value>, _ loader: @escaping LoadMachine<Value>.Load, _ driver: LoadDriver<Value>) {
    let run = LoadRun(driver: driver, load: load, loader: loader, carried: driver.registry.captureContext())
    // Here, because tasks don't run in the order in which they start. A load that reads the cache takes one after that.
    let ticket = load.reading == nil ? run.permits?.takeTicket() : nil
    load.task.start(on: driver.limit.executor) {
      guard let carried = run.carried else { return await run.run(ticket) }
      await carried.provide(isolation: nil) { await run.run(ticket) }
    }
  }

  /// The permits of the manager's family, which may have got to know it since.
  private var permits: Permits? { driver.registry.turn { _ in driver.owner.family ?? nil } }

  private func run(_ ticket: Int?) async {
    await driver.publishCached(of: load)
    let elapsed = options.instrumentation.map { _ in options.clock.stopwatch() }
    let error = await tryToLoad(ticket)
    let attempts = load.endAttempts()
    guard let instrumentation = options.instrumentation, let elapsed, attempts > 0 else { return }
    let isSuperseded = driver.registry.turn { _ in load.result == nil }
    instrumentation.loaded(
      load.description(of: attempts, source), attempts: attempts, after: elapsed(),
      error: isSuperseded ? CancellationError() : error)
  }

  /// Tries until an attempt succeeds or none is left, and publishes only the final result (5.07).
  ///
  /// Returns the final error, if there is one. `ticket` is for a permit of the first attempt.
  private func tryToLoad(_ ticket: Int?) async -> (any Error)? {
    var (failures, ticket) = (0, ticket)
    defer { if let ticket { permits?.return(ticket) } }
    while driver.find({ machine, _ in machine.load?.id == load.id }) {
      if let permits {
        ticket = ticket ?? permits.takeTicket()
        guard let ticket, await permits.wait(with: ticket) else { return CancellationError() }
      }
      let number = failures + 1
      let result = await driver.limit.run { try await attempt(number) }
      if let ended = ticket.take() { permits?.return(ended) }
      switch result {
      case nil: return CancellationError()
      case .success(let value):
        await end(with: value)
        return nil
      case .failure(let error):
        failures += 1
        load.noteFailure(error)
        options.attemptFailed(failures, error)
        if let delay = options.retry.delay(after: failures, error), await driver.limit.pause(for: delay) { continue }
        let time = driver.freshSince()
        driver.decide { $0.fail(error, at: time, of: load.id, $1) }
        return error
      }
    }
    return CancellationError()
  }

  private func end(with value: Value) async {
    let (time, compares) = (driver.freshSince(), options.isUnchanged != nil)
    await driver.decidePrepared { machine, prepared, present in
      machine.succeed(with: value, at: time, of: load.id, compares: compares, prepared, present)
    }
  }

  /// Calls the loader once, in a task of its own, unless the load has gone on without that.
  private func attempt(_ number: Int) async throws -> Value {
    guard load.beginAttempt(number) else { throw CancellationError() }
    guard let carried else { return try await call(number) }
    return try await carried.provide(isolation: nil) { try await call(number) }
  }

  private func call(_ attempt: Int) async throws -> Value {
    guard let instrumentation = options.instrumentation else {
      return try await loader(load.kind) { serverData?.value }
    }
    let call: @concurrent () async throws -> Value = { try await loader(load.kind) { serverData?.value } }
    return try await instrumentation.load(load.description(of: attempt, source), call)
  }

  /// The server's data; nil after the end of the manager or its publisher.
  private var serverData: ServerData<Value>? {
    driver.find { machine, present in machine.isOver ? nil : machine.serverData(present) }
  }
}
