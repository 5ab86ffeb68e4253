import Foundation
import SubPub
import Synchronization
import Testing

/// One publisher, some threads, a few hundred operations of each.
final class ChurnRound: Sendable {
  private let publisher = Publisher<Int>()
  private let contexts = Contexts()
  private let threads: Int
  private let seed: UInt64
  private let arrived = Atomic<Int>(0)
  private let violations = Atomic<Int>(0)
  private let deliveries = Atomic<Int>(0)
  private static let operations = 400

  init(threads: Int, seed: UInt64) {
    self.threads = threads
    self.seed = seed
  }

  private struct Member: Sendable {
    let witness: Witness
    let subscription: Subscription
  }

  func run() async throws -> Figures {
    let threads = threads
    let survivors = await withTaskGroup(of: [Member].self) { group in
      for index in 0..<threads {
        group.addTask {
          await withCheckedContinuation { finished in
            Thread.detachNewThread {
              finished.resume(returning: self.churn(SplitMix(seed: self.seed &+ UInt64(index))))
            }
          }
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    await publisher.drain()
    survivors.forEach(checkConvergence)
    if publisher.subscriberCount != survivors.count { violations.add(1, ordering: .relaxed) }
    return Figures(
      operations: threads * Self.operations, deliveries: deliveries.load(ordering: .relaxed),
      violations: violations.load(ordering: .relaxed))
  }

  private func churn(_ seeded: SplitMix) -> [Member] {
    var random = seeded
    var members: [Member] = []
    arrived.add(1, ordering: .sequentiallyConsistent)
    while arrived.load(ordering: .sequentiallyConsistent) < threads {}
    for _ in 0..<Self.operations {
      switch random.draw(10) {
      case 0...4: publish(&random)
      case 5, 6: members.append(subscribe(&random))
      case 7 where !members.isEmpty: cancel(members.remove(at: random.draw(members.count)))
      // Its subscriber dies, wherever it is.
      case 8 where !members.isEmpty: count(members.remove(at: random.draw(members.count)).witness)
      default: break
      }
    }
    return members
  }

  private func publish(_ random: inout SplitMix) {
    switch random.draw(6) {
    case 0: publisher.startLoading()
    case 1: publisher.setError(CancellationError())
    case 2: publisher.publish()
    case 3: publisher.update { .loaded(($0.value ?? 0) + 1) }
    default: publisher.updateData(random.draw(100))
    }
  }

  private func subscribe(_ random: inout SplitMix) -> Member {
    let buffering = BufferingPolicy.draw(&random)
    let witness = Witness(buffering)
    let subscription = publisher.subscribe(witness, on: contexts.draw(&random), buffering: buffering)
    return Member(witness: witness, subscription: subscription)
  }

  private func cancel(_ member: Member) {
    let outcome = member.subscription.cancel()
    let before = member.witness.delivered
    let after = member.subscription.statistics
    // A quiescent cancel means silence.
    if outcome == .quiescent, member.witness.isInside { violations.add(1, ordering: .relaxed) }
    if outcome == .reentrant || after.pending != 0 || member.subscription.cancel() != .alreadyCancelled {
      violations.add(1, ordering: .relaxed)
    }
    if outcome == .quiescent, member.witness.delivered != before { violations.add(1, ordering: .relaxed) }
    count(member.witness)
  }

  private func checkConvergence(_ member: Member) {
    let version = publisher.current.version
    let statistics = member.subscription.statistics
    if statistics.lastVersion != version || member.witness.lastVersion != Int(version) || statistics.pending != 0 {
      violations.add(1, ordering: .relaxed)
    }
    count(member.witness)
  }

  private func count(_ witness: Witness) {
    deliveries.add(witness.delivered, ordering: .relaxed)
    violations.add(witness.violations, ordering: .relaxed)
  }
}
