import Dispatch

/// A moment in nanoseconds, on a clock that all cores share: what happened before reads an earlier or equal stamp.
enum Stamp {
  @inline(__always) static func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }
}

/// From just before a call to just after it.
struct Span: Sendable {
  var begin: UInt64
  var end: UInt64

  /// Runs `body` and says when.
  static func of<R>(_ body: () -> R) -> (R, Span) {
    let begin = Stamp.now()
    let result = body()
    return (result, Span(begin: begin, end: Stamp.now()))
  }
}
