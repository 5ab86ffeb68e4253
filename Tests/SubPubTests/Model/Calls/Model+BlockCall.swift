extension Model {
  /// A subscriber's code that blocks until something else has happened.
  final class BlockCall: Call {
    private let thread: Int

    init(until thread: Int) { self.thread = thread }

    var need: Need { .end(of: thread) }
    var name: String { "go on, what the code waited for has happened" }
    func step(_ world: World) -> Progress { .ends }
    func feed(_ digest: inout Digest, _ world: World) { digest.add(15) }
  }
}
