import SubPub
import SubPubTesting

extension SampleApp.Stage {
  /// What is wrong when everything has come to rest.
  ///
  /// `isPrompt`: whatever could run had run before the clock moved on.
  func problems(isPrompt: Bool) -> [String] {
    var problems = notary.problems
    if waits.begun != waits.ended { problems.append("5.05: \(waits.begun - waits.ended) waits hang") }
    let open = endpoint.calls.count { $0.outcome == .open }
    if open > 0 { problems.append("5.04: \(open) calls of the loader have not ended") }
    if publisher.state.phase == .loading { problems.append("5.05: left at \(publisher.state)") }
    if isPrompt { problems += kept }
    for screen in screens { problems += self.problems(of: screen) }
    return problems
  }

  /// Calls that hear of their cancellation, and were left alone when their load had ended.
  private var kept: [String] {
    endpoint.calls.filter { call in
      guard !call.isDeaf, let end = call.end, let ended = notary.end(of: call.version) else { return false }
      return end > ended
    }.map { "5.04: nobody has cancelled \($0)" }
  }

  /// A legal view of what was published: in order, the same as everybody's, up to the last.
  private func problems(of screen: any SampleApp.Screen<M.Value>) -> [String] {
    let (all, views) = (notary.views, screen.views)
    guard let first = views.first, let last = views.last else { return [] }
    let name = "\(type(of: screen))"
    var problems: [String] = []
    for (before, after) in zip(views, views.dropFirst()) where after.version <= before.version {
      problems.append("1.02: \(after) after \(before) on \(name)")
    }
    for view in views where Int(view.version) >= all.count || all[Int(view.version)] != view {
      problems.append("1.02: \(view) was never published, says \(name)")
    }
    if last.version != publisher.current.version { problems.append("1.03: \(name) ends with \(last)") }
    if screen.missesNothing, views.count != Int(last.version - first.version) + 1 {
      problems.append("2.01: \(name) has missed some")
    }
    return problems
  }

  /// Everything that was told to anybody.
  var history: [String] { ([notary.views] + screens.map(\.views)).map { "\($0)" } }
}
