import SubPub

/// What supersedes a load (rule 5.04).
enum Overtaking: String, CaseIterable, Codable, Sendable {
  case updateData, updateDataIfChanged, setError, startLoading, reset, setState, update, forcedRefresh, logout

  /// Runs nothing of what follows.
  func perform(at bench: LoadBench) {
    let publisher = bench.publisher
    switch self {
    case .updateData: publisher.updateData(50)
    case .updateDataIfChanged: publisher.updateData(ifChanged: 50)
    case .setError: publisher.setError(PublishingTests.Failure.denied)
    case .startLoading: publisher.startLoading()
    case .reset: publisher.reset()
    case .setState: publisher.setState(.loaded(50))
    case .update: publisher.update { $0 }
    case .forcedRefresh:
      _ = Caller(on: bench.executor) { [manager = bench.manager] in await manager.refresh(restarting: true) }
    case .logout: bench.manager.logout()
    }
  }
}
