extension SampleApp.Cause {
  /// What is wrong with a transition that is brought about so.
  func problem(
    _ view: SampleApp.View, after last: SampleApp.View, _ calls: [SampleApp.Endpoint.Call], _ attempts: ClosedRange<Int>
  ) -> String? {
    let mine = calls.filter { $0.version == last.version }
    switch self {
    case .answer:
      let ticket = view.items.last?.ticket ?? -1
      if !calls.indices.contains(ticket) || calls[ticket].outcome != .answered {
        return "5.04: nobody has answered \(view)"
      }
      // It was asked for by the load whose `loading` this takes the place of, and by no other.
      if calls[ticket].version != last.version { return "5.04: \(view) comes late, after \(last)" }
    case .refusal, .timeout:
      if !attempts.contains(mine.count) { return "5.07: \(view) after \(mine.count) attempts of \(attempts)" }
      if view.items != last.items { return "5.01: \(view) after \(last)" }
    case .appear, .pull, .force, .nextPage:
      if view.items != last.items { return "5.01: \(view) after \(last)" }
    case .leave, .release, .logout: break
    }
    return nil
  }
}
