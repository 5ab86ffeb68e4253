import Foundation
import SubPub
import Synchronization
import Testing

/// Real threads, started on a barrier, subscribe, cancel, release and publish at random on every context with every
/// policy; then everything that was promised of the outcome is checked.
@Suite("Under churn from many threads every subscriber sees one order, and ends at the last state", .serialized)
struct ChurnTests {
  @Test("order, overlap, outcomes and convergence", .timeLimit(.minutes(90)))
  func stochastic_1_02_1_03_2_02_3_02_churn() async throws {
    let settings = StressSettings()
    print("STRESS_SEED=\(settings.seed) STRESS_THREADS=\(settings.threads) STRESS_SECONDS=\(settings.seconds)")
    let end = ContinuousClock.now + .seconds(settings.seconds)
    var random = SplitMix(seed: settings.seed)
    var figures = Figures()
    repeat {
      let round = ChurnRound(threads: settings.threads, seed: random.next())
      figures.add(try await round.run())
    } while ContinuousClock.now < end
    print("churn: \(figures)")
    #expect(figures.violations == 0, "repeat with STRESS_SEED=\(settings.seed)")
    #expect(figures.deliveries > 0)
  }
}

/// What a run did.
struct Figures: CustomStringConvertible, Sendable {
  var operations = 0
  var deliveries = 0
  var violations = 0

  mutating func add(_ other: Figures) {
    operations += other.operations
    deliveries += other.deliveries
    violations += other.violations
  }

  var description: String { "\(operations) operations, \(deliveries) deliveries, \(violations) violations" }
}
