import SubPub

/// An actor that reports when the load reaches a limit, and when it is below the limit again.
///
/// Deliveries run isolated to the actor. The library also holds the actor weakly: a subscription ends with its actor.
actor LoadAlarm {
  private let limit: Double
  private let console: Console
  private var isOn = false

  init(limit: Double, console: Console) {
    self.limit = limit
    self.console = console
  }

  func check(_ state: LoadState<LoadAverage>) {
    guard case .loaded(let load) = state, (load.one >= limit) != isOn else { return }
    isOn.toggle()
    let now = isOn ? "has reached" : "is below"
    console.print("alarm   load \(load.one.twoDecimals) \(now) \(limit.twoDecimals)")
  }
}
