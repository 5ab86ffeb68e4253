import SubPub

/// A manager's good course of events, made by hand, for a test to spoil.
enum HandMadeLoads {
  /// Two loads, one after the other; call 1 is refused, and called once more as call 2.
  static func course(_ mix: LoadMix = [.refresh], _ spoil: (inout LoadCourse) -> Void = { _ in }) -> LoadCourse {
    var course = LoadCourse(mix: mix, attempts: 2)
    course.calls = [call(1, 10, .answered), call(3, 30, .refused), call(3, 40, .answered)]
    course.publications = [
      state(0, .unknown), state(1, .loading), state(2, .loaded, 0), state(3, .loading, 0), state(4, .loaded, 2),
    ]
    course.waits = [wait(.refresh, 5, at: 0, .loaded, 0), wait(.refresh, 25, at: 2, .loaded, 2)]
    course.finalVersion = 4
    spoil(&course)
    return course
  }

  /// Three pages; call 1 is for the second.
  static func pages(_ mix: LoadMix = [.nextPage], _ spoil: (inout LoadCourse) -> Void = { _ in }) -> LoadCourse {
    var course = course(mix)
    course.calls = [call(1, 10, .answered), call(3, 30, .answered, page: 1)]
    course.publications[4] = list(4, .loaded, [0, 1])
    course.publications[2] = list(2, .loaded, [0])
    course.publications[3] = list(3, .loading, [0])
    course.waits = [wait(.nextPage, 5, at: 0, .loaded, 0), wait(.nextPage, 25, at: 2, .loaded, 1)]
    spoil(&course)
    return course
  }

  static func state(_ version: UInt64, _ phase: LoadPhase, _ number: Int? = nil, refusal: Int? = nil) -> LoadPublication
  {
    let tickets = number.map { [Ticket(number: $0, login: 0, page: 0, place: 0)] } ?? []
    return LoadPublication(version: version, phase: phase, tickets: tickets, refusal: refusal)
  }

  /// Call n has brought page n.
  static func list(_ version: UInt64, _ phase: LoadPhase, _ calls: [Int]) -> LoadPublication {
    let tickets = calls.flatMap { number in
      (0..<Desk.pageSize).map { Ticket(number: number, login: 0, page: number, place: $0) }
    }
    return LoadPublication(version: version, phase: phase, tickets: tickets)
  }

  static func call(_ version: UInt64, _ begin: UInt64, _ outcome: LoaderCall.Outcome, page: Int = 0) -> LoaderCall {
    LoaderCall(page: page, version: version, begin: begin, end: begin + 5, outcome: outcome)
  }

  static func wait(
    _ operation: LoadMix, _ begin: UInt64, at version: UInt64, _ phase: LoadPhase, _ ticket: Int?, refusal: Int? = nil
  ) -> LoadWait {
    LoadWait(operation: operation, begin: begin, version: version, phase: phase, ticket: ticket, refusal: refusal)
  }

  /// The rules that the checker finds broken.
  static func rules(_ course: LoadCourse) -> Set<String> { Set(LoadChecker.check(course).map(\.rule)) }
}
