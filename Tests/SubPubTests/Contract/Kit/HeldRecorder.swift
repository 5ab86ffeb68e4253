import SubPub
import SubPubTesting
import Synchronization

/// Records, and is held in the delivery of one version until its gate opens. Counts how many of its calls run at once.
final class HeldRecorder: TypedSubscriber {
  let gate = Gate()
  private let recorder = Recorder<Int>()
  private let heldAt: UInt64
  private let inside = Atomic<Int>(0)
  private let most = Atomic<Int>(0)

  init(at version: UInt64 = 1) { heldAt = version }

  func receive(_ state: LoadState<Int>) {}

  func receive(_ publication: Publication<Int>) {
    most.max(inside.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
    recorder.receive(publication)
    if publication.version == heldAt { gate.pass() }
    inside.subtract(1, ordering: .relaxed)
  }

  /// Of every delivery that has begun.
  var versions: [UInt64] { recorder.publications.map(\.version) }
  /// The most deliveries at a time.
  var mostAtOnce: Int { most.load(ordering: .relaxed) }

  /// Returns when so many deliveries have begun.
  func wait(count: Int) async throws { try await recorder.wait(count: count) }

  /// Publishes `version` on a thread of its own and returns when its delivery is held.
  func hold(_ publisher: Publisher<Int>) async {
    OwnThread.start { publisher.updateData(Int(self.heldAt)) }
    await gate.waitUntilHeld()
  }
}
