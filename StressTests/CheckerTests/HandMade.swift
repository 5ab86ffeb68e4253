import SubPub

/// Histories made by hand: a good course of events, for a test to spoil.
enum HandMade {
  /// Two calls by hand, ten nanoseconds each, and subscribers that get versions 0 to 2.
  static func course(_ histories: [History]) -> Course {
    var course = Course()
    course.calls = [call(1, 100), call(2, 200)]
    course.finalVersion = 2
    course.histories = [reference] + histories
    return course
  }

  static func call(_ count: Int, _ begin: UInt64, by caller: Int = 1) -> Call {
    Call(
      span: Span(begin: begin, end: begin + 10), number: Number.make(caller: caller, count: count), isTransition: true)
  }

  /// The one who tells what each version is.
  static var reference: History {
    var history = history()
    history.joiner = 9
    return history
  }

  /// Everything in order, on a lane of its own, until the end.
  static func history(_ spoil: (inout History) -> Void = { _ in }) -> History {
    var history = History()
    (history.joining, history.replay, history.isLasting) = (Span(begin: 10, end: 20), 0...0, true)
    history.deliveries = (0...2).map { delivery($0) }
    spoil(&history)
    return history
  }

  /// Version v is published at 100 v, and delivered at 100 v + 50.
  static func delivery(_ version: UInt32, at begin: UInt64? = nil) -> DeliveryRecord {
    let begin = begin ?? UInt64(version) * 100 + 50
    return DeliveryRecord(
      begin: begin, end: begin + 5, version: version,
      number: version == 0 ? 0 : Number.make(caller: 1, count: Int(version)), thread: 7, phase: version == 0 ? 0 : 2,
      isInPlace: true, isOnHammer: true)
  }

  static func cancel(_ outcome: CancelOutcome, _ begin: UInt64, thread: UInt32 = 1) -> CancelRecord {
    CancelRecord(span: Span(begin: begin, end: begin + 2), answer: .outcome(outcome), thread: thread)
  }

  /// The rules that the checker finds broken.
  static func rules(_ course: Course) -> Set<String> { Set(Checker.check(course).map(\.rule)) }
}
