import Dispatch
import SubPub

extension Row {
  /// From a publish to the callback on a queue that is idle. Ours and the rival take turns, wake by wake.
  static let wakeUp: [Row] = [
    Row(
      name: "wake-up of an idle queue, median", unit: .microseconds, rival: "queue.async", bound: .ratio(1.2),
      measure: { try await wake(oursFirst: $0, quantile: 0.5) }),
    Row(
      name: "wake-up of an idle queue, 99%", unit: .microseconds, rival: "queue.async", bound: nil,
      measure: { try await wake(oursFirst: $0, quantile: 0.99) }),
  ]
}

private let wakes = 2_000

@concurrent
private func wake(oursFirst: Bool, quantile: Double) async throws -> Pair {
  let ours = Sleeper()
  let publisher = Publisher<[Int]>()
  publisher.subscribe(ours, on: .queue(DispatchQueue(label: "ours")))
  await publisher.drain()
  let rival = Sleeper()
  let reference = WeakReference(rival)
  let queue = DispatchQueue(label: "rival")

  _ = await Team.run(1) { _ in
    for index in 0..<wakes {
      let value = Payload.ring[index & (Payload.count - 1)]
      for isOurs in [oursFirst, !oursFirst] {
        if isOurs {
          ours.timeWake { publisher.updateData(value) }
        } else {
          rival.timeWake { queue.async { reference.object?.receive(.loaded(value)) } }
        }
      }
    }
  }
  return Pair(ours: try ours.quantile(quantile, of: wakes), rival: try rival.quantile(quantile, of: wakes))
}
