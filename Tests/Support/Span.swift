import Dispatch

/// A moment in nanoseconds, on a clock that all cores share: an event's stamp is never later than that of its effect.
package enum Stamp {
  @inline(__always) package static func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }
}

/// From just before a call to just after it, in nanoseconds or in steps of a simulation.
package struct Span: Sendable {
  package var begin: UInt64
  package var end: UInt64

  package init(begin: UInt64, end: UInt64) { (self.begin, self.end) = (begin, end) }

  /// The span from a moment until now.
  package init(since begin: UInt64) { self.init(begin: begin, end: Stamp.now()) }

  /// Runs the body and says when.
  package static func of<R>(_ body: () -> R) -> (R, Span) {
    let begin = Stamp.now()
    let result = body()
    return (result, Span(since: begin))
  }
}
