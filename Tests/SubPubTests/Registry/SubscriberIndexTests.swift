import SubPub
import SubPubTesting
import Testing

@Suite("The index of subscribers keeps few of those that were cancelled", .timeLimit(.minutes(1)))
struct SubscriberIndexTests {
  @Test(
    "it keeps at most twice as many as are active + 32, whether one object or many come and go",
    arguments: [false, true])
  func required_2_06_comeAndGo(isOneObject: Bool) {
    let (publisher, executors) = (Publisher<Int>(), Deaths())
    let crowd = (0..<1_000).map { _ in Recorder<Int>() }
    let staying = 20
    for recorder in crowd.prefix(staying) { publisher.subscribe(recorder, on: .immediate) }
    var most = 0
    for (number, recorder) in crowd.enumerated() {
      // Each subscription is the only one to hold its executor.
      let token = executors.mortal()
      publisher.subscribe(
        isOneObject ? crowd[0] : recorder, on: .executor(InlineExecutor { withExtendedLifetime(token) {} }),
        ifDuplicate: .allow
      ).cancel()
      most = max(most, number + 1 - executors.count)
    }
    #expect(most <= 2 * (staying + 1) + 32)
    #expect(publisher.subscriberCount == staying)
    withExtendedLifetime(crowd) {}
  }
}
