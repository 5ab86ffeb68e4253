import SubPub
import SubPubTesting
import Support
import Testing

extension StressTests {
  @Test("all subscribers see one order, on their contexts, without overlap, up to the last state")
  func stochastic_1_01_1_02_1_03_2_02_2_03_2_07_2_09_4_01_5_01_order() async { await Workload.order.run(Order.perform) }
}

/// Subscribers of all kinds stay, and threads publish in bursts.
enum Order {
  private static let bursts = 12
  private static let burst = 16

  @Sendable static func perform(_ round: Round) async -> RoundResult {
    // At the first publisher each state tells which transition made it, at the second one every transition is made.
    let (first, second, group) = (PublisherUnderTest(), PublisherUnderTest(), DelegateGroup())
    let subscribers = await Subscribers.all(of: first, in: round)
    let withVersions = await Subscribers.withVersions(of: second, in: round)
    await group.addAll()
    let calls = await round.threads.run { index in
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
            callers[2].add(number, Span.of { group.call(number) }.1)
            callers[3].add(mainNumber, Span.of { group.callMain(mainNumber) }.1)
          }
        }
      }
      return callers.map(\.calls)
    }
    func called(_ which: Int) -> [Call] { calls.flatMap { $0[which] } }
    var result = RoundResult()
    result.histories = [
      await subscribers.history(of: first, calls: called(0)), await withVersions.history(of: second, calls: called(1)),
    ]
    result.histories += await group.histories(calls: called(2), mainCalls: called(3))
    return result
  }
}
