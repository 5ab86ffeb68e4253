extension Model {
  /// What a thread, or a subscriber's code, is to do.
  enum Action {
    case publish
    case subscribe(Int)
    case cancel(Int)
    case cancelAndWait(Int)
    /// Lets go of the object, without a cancel.
    case drop(Int)
    /// Lets go of the publisher; the last one ends it.
    case leave
    case drain
    /// Iterates until the end.
    case read(Int)
    /// Blocks until that thread is over.
    case block(until: Int)
    /// Looks for the dead, as a count does.
    case sweep

    func call(in world: World) -> any Call {
      switch self {
      case .publish: PublishCall()
      case .subscribe(let number): SubscribeCall(world.subjects[number])
      case .cancel(let number): CancelCall(world.subjects[number])
      case .cancelAndWait(let number): CancelAndWaitCall(world.subjects[number])
      case .drop(let number): DropCall(number)
      case .leave: LeaveCall()
      case .drain: AwaitDrainCall()
      case .read(let number): ReadCall(world.subjects[number])
      case .block(let thread): BlockCall(until: thread)
      case .sweep: SweepCall()
      }
    }
  }
}
