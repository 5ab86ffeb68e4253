import SubPub
import Synchronization

/// A subscriber that checks every delivery against what was promised, and remembers what was wrong.
final class Witness: TypedSubscriber {
  private let inside = Atomic<Int>(0)
  private let last = Atomic<Int>(-1)
  private let deliveries = Atomic<Int>(0)
  private let wrong = Atomic<Int>(0)
  private let isUnbounded: Bool

  init(_ buffering: BufferingPolicy) { isUnbounded = buffering == .unbounded }

  func receive(_ state: LoadState<Int>) {}

  func receive(_ publication: Publication<Int>) {
    let overlaps = inside.add(1, ordering: .relaxed).newValue > 1
    let version = Int(publication.version)
    let before = last.exchange(version, ordering: .relaxed)
    let isInOrder = isUnbounded && before >= 0 ? version == before + 1 : version > before
    if overlaps || !isInOrder { wrong.add(1, ordering: .relaxed) }
    deliveries.add(1, ordering: .relaxed)
    inside.subtract(1, ordering: .relaxed)
  }

  var violations: Int { wrong.load(ordering: .relaxed) }
  var delivered: Int { deliveries.load(ordering: .relaxed) }
  var lastVersion: Int { last.load(ordering: .relaxed) }
  var isInside: Bool { inside.load(ordering: .relaxed) > 0 }
}
