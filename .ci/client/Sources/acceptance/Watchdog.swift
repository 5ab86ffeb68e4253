import Dispatch

/// Ends the program if it hangs.
nonisolated enum Watchdog {
  static func start(limit: DispatchTimeInterval) {
    DispatchQueue(label: "watchdog").asyncAfter(deadline: .now() + limit) {
      fail("nothing more happened within the time limit")
    }
  }
}
