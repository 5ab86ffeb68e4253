extension Model {
  /// A function of the shell in the middle of its work: where it is, and its local variables.
  protocol Call: AnyObject {
    /// What the next step waits for.
    var need: Need { get }
    /// The next step, in words.
    var name: String { get }
    func step(_ world: World) -> Progress
    /// Goes on to the next step without touching anything shared: when the call begins, and when one that it made has
    /// returned.
    func advance(_ world: World) -> Progress
    /// Where it is, and its local variables.
    func feed(_ digest: inout Digest, _ world: World)
  }

  enum Need {
    case nothing
    /// The step is a turn.
    case turn
    /// The task waits to be resumed.
    case wakeup
    /// The thread waits until that one is over.
    case end(of: Int)
  }

  enum Progress {
    case stays
    case calls(any Call)
    /// A call in the last position: nothing comes after it.
    case becomes(any Call)
    case ends
  }
}

extension Model.Call {
  func advance(_ world: Model.World) -> Model.Progress { .stays }
}
