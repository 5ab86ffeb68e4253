import Foundation
import SubPub

/// The rival by hand: a loop over weak references in final classes, under a lock.
final class WeakLoop: @unchecked Sendable {
  private final class Reference {
    weak let counter: Counter?
    init(_ counter: Counter) { self.counter = counter }
  }

  // Guarded by `lock`.
  private var references: [Reference] = []
  private let lock = NSLock()

  init(_ counters: [Counter]) { references = counters.map(Reference.init) }

  func publish(_ state: LoadState<[Int]>) {
    lock.lock()
    defer { lock.unlock() }
    for reference in references { reference.counter?.receive(state) }
  }
}
