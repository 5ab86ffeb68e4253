import Dispatch

/// Ends a program that hangs: something that should have come never came.
nonisolated enum Watchdog {
  static func start(limit: DispatchTimeInterval) {
    DispatchQueue(label: "watchdog").asyncAfter(deadline: .now() + limit) {
      fail("nothing more happened within the time limit")
    }
  }
}
