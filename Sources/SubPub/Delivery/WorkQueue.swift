import Dispatch

/// What a queue has to be to serve as a context: Dispatch's, or a stand-in of a test's that draws from a seed what is
/// next.
package protocol WorkQueue: AnyObject, Sendable {
  /// Its name, in descriptions.
  var label: String { get }

  /// Runs the work soon, and never before it returns. Not called inside a turn.
  func submit(_ work: @escaping @Sendable () -> Void)
}

extension DispatchQueue: WorkQueue {
  /// Asynchronously, without the caller's quality of service where the platform has one (rule 2.10).
  package func submit(_ work: @escaping @Sendable () -> Void) {
    #if canImport(Darwin)
      async(flags: .detached, execute: work)
    #else
      async(execute: work)
    #endif
  }
}

extension Delivery {
  /// A stand-in for a queue; the same as `queue(_:independent:)` in everything else.
  package static func queue(_ standIn: any WorkQueue, independent: Bool = false) -> Delivery {
    Delivery(.queue(QueueReference(standIn), independent: independent))
  }
}
