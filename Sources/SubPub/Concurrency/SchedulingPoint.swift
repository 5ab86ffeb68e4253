/// A step of the engine before which other threads may run, for tests that schedule threads.
///
/// In release builds it is empty and takes neither time nor memory.
package struct SchedulingPoint: Sendable {
  package enum Step: Sendable {
    /// The thread is about to wait for its turn.
    case turnBegins
    /// The thread's turn has ended.
    case turnEnded
    /// The thread is about to read or change the object that the point belongs to.
    case read, write
    /// The thread is about to load a weak reference.
    case weakLoad
    /// The thread is about to keep its processor for that long, instead of taking its next turn.
    case spin(nanoseconds: UInt64)
  }

  #if DEBUG
    private let reached: (@Sendable (Step) -> Void)?

    package init(_ reached: (@Sendable (Step) -> Void)? = nil) { self.reached = reached }
  #endif

  @inline(__always) func reach(_ step: Step) {
    #if DEBUG
      reached?(step)
    #endif
  }

  /// Makes the scheduling points of a publisher's objects.
  package struct Maker: Sendable {
    #if DEBUG
      private let make: (@Sendable () -> SchedulingPoint)?

      package init(_ make: (@Sendable () -> SchedulingPoint)? = nil) { self.make = make }
    #endif

    func makePoint() -> SchedulingPoint {
      #if DEBUG
        make?() ?? SchedulingPoint()
      #else
        SchedulingPoint()
      #endif
    }
  }
}
