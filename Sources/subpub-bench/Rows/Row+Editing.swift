import SubPub

extension Row {
  /// Edits that are shown, sent, and answered, one after the other, with a subscriber on the publishing thread.
  ///
  /// Most of an edit's time, the system wakes a thread for the task that sends, and the caller's after it. The rival's
  /// task mostly runs on the thread that awaits it.
  static let editing: [Row] = [
    Row("an edit's round trip", against: "two updates, and a task between them", bound: .ratio(13)) {
      let manager = LoadingManager(initial: Payload.ring[0]) { Payload.ring[0] }
      return try await timePerEdit(at: manager.publisher) { shown, answer in
        try await manager.mutate(showing: { _ in shown }, send: { answer })
      }
    } rival: {
      let publisher = Publisher<[Int]>()
      publisher.updateData(Payload.ring[0])
      return try await timePerEdit(at: publisher) { shown, answer in
        publisher.updateData(shown)
        publisher.updateData(await Task { answer }.value)
      }
    }
  ]
}

private let edits = 20_000

@concurrent
private func timePerEdit(
  at publisher: Publisher<[Int]>, _ edit: @Sendable (_ shown: [Int], _ answer: [Int]) async throws -> Void
) async throws -> Double {
  let listener = Listener()
  publisher.subscribe(listener, on: .immediate)
  let clock = ContinuousClock()
  let start = clock.now
  for index in 0..<edits {
    let first = 2 * index + 1
    try await edit(Payload.ring[first & (Payload.count - 1)], Payload.ring[(first + 1) & (Payload.count - 1)])
  }
  let time = clock.now - start
  try listener.check(published: 2 * edits + 1)
  return time.nanoseconds / Double(edits)
}
