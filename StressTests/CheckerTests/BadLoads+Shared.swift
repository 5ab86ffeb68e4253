import SubPub

extension BadLoads {
  private typealias Make = HandMadeLoads

  /// What is shared, tried again, and kept.
  static let shared: [BadLoads] = [
    BadLoads(
      rule: "5.03", name: "two calls at once", twin: { $0.calls[2] = Make.call(3, 35, .answered) },
      spoil: { $0.calls[2] = Make.call(3, 34, .answered) }),
    BadLoads(
      rule: "5.03", name: "one load beside another", mix: [.refresh, .cancel], twin: { _ in },
      spoil: { again(.loading, &$0) }),
    BadLoads(
      rule: "5.03", name: "an old result",
      twin: { $0.waits[1] = Make.wait(.refresh, 25, at: 3, .loaded, 2) },
      spoil: { $0.waits[1] = Make.wait(.refresh, 25, at: 2, .loaded, 0) }),
    BadLoads(
      rule: "5.03", name: "no result", mix: [.refresh],
      spoil: { $0.waits[1] = Make.wait(.refresh, 25, at: 2, .loading, 0) }),
    BadLoads(
      rule: "5.03", name: "a result that was never published", mix: [.refresh, .cancel],
      spoil: { $0.waits[1] = Make.wait(.refresh, 25, at: 2, .loaded, 1) }),
    BadLoads(rule: "5.03", name: "what was brought is lost") { $0.calls.append(Make.call(4, 50, .answered)) },
    BadLoads(
      rule: "5.07", name: "an error of the first attempt",
      twin: {
        $0.calls[2].outcome = .refused
        $0.publications[4] = Make.state(4, .error, 0, refusal: 2)
        $0.waits[1] = Make.wait(.refresh, 25, at: 2, .error, 0, refusal: 2)
      },
      spoil: {
        $0.calls.removeLast()
        $0.publications[4] = Make.state(4, .error, 0, refusal: 1)
        $0.waits.removeLast()
      }),
    BadLoads(rule: "5.07", name: "an error of nobody") { $0.publications[4] = Make.state(4, .error, 0) },
    BadLoads(rule: "5.01", name: "previous data is lost") { $0.publications[3] = Make.state(3, .loading) },
    BadLoads(
      rule: "5.05", name: "the same result once more", mix: [.refresh, .copies], twin: { again(.loaded, &$0) },
      spoil: {
        again(.loaded, &$0)
        $0.mix = [.refresh]
      }),
    BadLoads(
      rule: "5.08", name: "a page that is missing", mix: [.nextPage],
      spoil: {
        $0.calls[1].page = 2
        $0.publications[4].tickets =
          $0.publications[2].tickets + [2, 2].map { Ticket(number: 1, login: 0, page: $0, place: 0) }
      }),
    BadLoads(
      rule: "5.08", name: "a page twice", mix: [.nextPage],
      spoil: { $0.publications[4].tickets += $0.publications[2].tickets }),
    BadLoads(
      rule: "5.08", name: "a page behind a list that isn't shown", mix: [.nextPage, .refresh, .cancel],
      spoil: {
        $0.calls.append(Make.call(1, 12, .answered))
        $0.publications[4].tickets[0] = Ticket(number: 2, login: 0, page: 0, place: 0)
      }),
  ]

  /// The last state but one, or the last, once more.
  private static func again(_ phase: LoadPhase, _ course: inout LoadCourse) {
    let index = phase == .loading ? 3 : 4
    course.publications.insert(course.publications[index], at: index)
    course.publications = course.publications.enumerated().map {
      LoadPublication(version: UInt64($0), phase: $1.phase, tickets: $1.tickets, refusal: $1.refusal)
    }
    course.finalVersion = 5
  }
}
