import Foundation

/// Real threads that start together.
struct Crew: Sendable {
  let size: Int

  /// Runs `body` on each thread, and returns what they made of it when the last has finished.
  func run<R: Sendable>(_ body: @escaping @Sendable (_ index: Int) -> R) async -> [R] {
    let barrier = Barrier(size)
    let results = Guarded<[Int: R]>([:])
    let size = size
    await withCheckedContinuation { (finished: CheckedContinuation<Void, Never>) in
      for index in 0..<size {
        let thread = Thread {
          ThreadMark.becomeHammer()
          barrier.pass()
          let result = body(index)
          let isLast = results.with { all in
            all[index] = result
            return all.count == size
          }
          if isLast { finished.resume() }
        }
        thread.start()
      }
    }
    return results.with { all in all.sorted { $0.key < $1.key }.map(\.value) }
  }

  /// Runs `body` on one thread of its own: it may block there.
  static func alone<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
    await Crew(size: 1).run { _ in body() }[0]
  }
}
