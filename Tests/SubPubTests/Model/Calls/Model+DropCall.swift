extension Model {
  /// Somebody lets go of a subscriber.
  final class DropCall: Call {
    private let object: Int

    init(_ object: Int) { self.object = object }

    var need: Need { .nothing }
    var name: String { "release the subscriber \(object)" }

    func step(_ world: World) -> Progress {
      world.objects[object] = nil
      return .ends
    }

    func feed(_ digest: inout Digest, _ world: World) { digest.add(9) }
  }
}
