extension Model {
  /// A thread's actions, one after the other.
  final class Program: Call {
    private let actions: [Action]
    private var next = 0

    init(_ actions: [Action]) { self.actions = actions }

    // It never has a step of its own.
    var need: Need { .nothing }
    var name: String { "" }
    func step(_ world: World) -> Progress { .ends }

    func advance(_ world: World) -> Progress {
      guard next < actions.count else { return .ends }
      next += 1
      return .calls(actions[next - 1].call(in: world))
    }

    func feed(_ digest: inout Digest, _ world: World) { digest.add(next) }
  }
}
