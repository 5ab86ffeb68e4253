/// What all copies of one sequence share: as long as it lives, the last state can still be asked for (rule 6.03).
final class SequenceTail: Sendable {
  let registry: PublisherRegistry

  init(_ registry: PublisherRegistry) {
    self.registry = registry
    registry.retainLastState()
  }

  deinit { registry.releaseLastState() }
}
