import SubPub

/// A subscriber of the main actor with every face. Stops the program when it is called elsewhere.
@MainActor
final class MainScreen: MainActorTypedSubscriber, MainActorSubscriber {
  private(set) var received = 0

  func receive(_ state: LoadState<Int>) {
    MainActor.preconditionIsolated()
    received += 1
  }

  func receive(_ publication: any AnyPublication) {
    MainActor.preconditionIsolated()
    received += 1
  }
}
