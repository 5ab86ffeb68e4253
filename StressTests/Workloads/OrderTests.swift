import SubPub
import Testing

extension StressTests {
  @Test("everyone sees one order, on the declared context, without overlap, up to the last state")
  func stochastic_1_01_1_02_1_03_2_02_2_03_2_07_2_09_4_01_5_01_order() async { await Workload.order.run(Order.perform) }
}

/// A full house of subscribers that stay, and threads that publish in bursts.
enum Order {
  private static let bursts = 12
  private static let burst = 16

  @Sendable static func perform(_ round: Round) async -> RoundResult {
    // One publisher whose every transition can be told from its state, one with every transition there is.
    let (first, second, company) = (Stage(), Stage(), Company())
    let cast = await Cast.full(of: first, in: round)
    let tellers = await Cast.tellers(of: second, in: round)
    let delegates = await Cast.delegates(of: company, in: round)
    let calls = await round.crew.run { index in
      var random = round.random(index)
      var callers = (0..<4).map { _ in Caller(index + 1) }
      for _ in 0..<bursts {
        let length = 1 + random.draw(burst)
        switch random.draw(8) {
        case 0...4: for _ in 0..<length { callers[0].publish(first.publisher, &random) }
        case 5, 6: for _ in 0..<length { callers[1].publishAny(second.publisher, &random) }
        default:
          for _ in 0..<length {
            let (number, mainNumber) = (callers[2].number(), callers[3].number())
            callers[2].note(number, Span.of { company.call(number) }.1)
            callers[3].note(mainNumber, Span.of { company.callMain(mainNumber) }.1)
          }
        }
      }
      return callers.map(\.calls)
    }
    func called(_ which: Int) -> [Call] { calls.flatMap { $0[which] } }
    var result = RoundResult()
    result.courses = [
      await cast.course(of: first, calls: called(0)),
      await tellers.course(of: second, calls: called(1), isNumbered: false),
    ]
    result.courses += await delegates.courses(of: company, calls: called(2), mainCalls: called(3))
    return result
  }
}
