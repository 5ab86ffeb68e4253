import SubPub
import Synchronization

extension Row {
  /// Eight threads ask for the managers of 100,000 keys, two of them for each key.
  static let families: [Row] = [
    Row("managers of 100,000 keys", against: "locked dictionary of weak boxes", bound: .ratio(2.5)) {
      let managers = Managers()
      let family = ManagerFamily { (key: Int) in managers.all[key] }
      return try await timePerRequest(of: managers) { family[$0] }
    } rival: {
      let managers = Managers()
      let boxes = Locked<[Int: WeakReference<KeyedManager>]>([:])
      return try await timePerRequest(of: managers) { key in
        boxes.withLock { boxes in
          if let manager = boxes[key]?.object { return manager }
          boxes[key] = WeakReference(managers.all[key])
          return managers.all[key]
        }
      }
    }
  ]
}

private let keys = 100_000
private let threads = 8
private let requests = 2 * keys / threads

@concurrent
private func timePerRequest(
  of managers: Managers, _ find: @escaping @Sendable (Int) -> KeyedManager
) async throws -> Double {
  let wrong = Atomic<Int>(0)
  let time = await ThreadGroup.run(threads) { thread in
    for request in 0..<requests {
      let key = (thread * keys / threads + request) % keys
      if find(key) !== managers.all[key] { wrong.add(1, ordering: .relaxed) }
    }
  }
  let missing = wrong.load(ordering: .relaxed)
  let all = threads * requests
  guard missing == 0 else { throw DeliveryError(published: all, delivered: all - missing) }
  return time.nanoseconds / Double(all)
}

/// All managers, made in advance, so that making them isn't measured.
private final class Managers: Sendable {
  let all = (0..<keys).map { _ in KeyedManager() }
}

private final class KeyedManager: Manager {
  let publisher = Publisher<Int>()

  func refreshIfNeeded() {}
}
