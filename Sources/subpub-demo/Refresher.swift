import SubPub

/// Reads something again and again, and tells a publisher how it went.
///
/// It knows nothing of who listens, and never waits for them: publishing puts the state into their buffers, and
/// wakes those that sleep.
struct Refresher<Source: Reader>: Sendable {
  private let publisher: Publisher<Source.Value>
  private let reader: Source
  private let interval: Duration

  init(_ publisher: Publisher<Source.Value>, from reader: Source, every interval: Duration) {
    self.publisher = publisher
    self.reader = reader
    self.interval = interval
  }

  /// Runs until the task is cancelled.
  ///
  /// The readers make blocking calls, and a disk can take its time. Swift's own pool has one thread for each
  /// core, too few to block; a `QueueExecutor` lets a task run on a Dispatch queue instead.
  func start() -> Task<Void, Never> {
    Task(executorPreference: QueueExecutor(label: "subpub-demo.refresh.\(publisher.id)")) { await run() }
  }

  private func run() async {
    while !Task.isCancelled {
      await load()
      do {
        try await Task.sleep(for: interval)
      } catch {
        return  // cancelled: the program is about to end
      }
    }
  }

  /// One load. A load that has begun ends in `loaded` or `error`, also when the program is ending meanwhile, so
  /// that no publisher is left in `loading`.
  private func load() async {
    publisher.startLoading()  // `loading`, with the data that was there before
    do {
      publisher.updateData(try await reader.read())  // `loaded`
    } catch {
      publisher.setError(error)  // `error`, still with the data that was there before
    }
  }
}
