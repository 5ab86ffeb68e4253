import SubPub

/// A delegate protocol as users write them.
protocol StateDelegate: AnyObject, Sendable {
  func stateChanged(_ state: LoadState<[Int]>)
}

extension Listener: StateDelegate {
  func stateChanged(_ state: LoadState<[Int]>) { receive(state) }
}
