import SubPub

extension ManagedLoads {
  /// A transition that is nobody's load; the version of some is known.
  func publish(_ random: inout SplitMix) {
    switch random.draw(6) {
    case 0: publisher.startLoading()
    case 1: publisher.setError(Trouble())
    case 2: publisher.reset()
    case 3: publish { .loading(previous: $0.value) }
    case 4: publish { .error(Trouble(), previous: $0.value) }
    default: publish { $0.value.map { .loaded($0) } ?? .unknown }
    }
  }

  private func publish(_ transform: (LoadState<M.Value>) -> LoadState<M.Value>) {
    let version = publisher.update(transform).version
    notes.with { _ = $0.foreign.insert(version) }
  }
}
