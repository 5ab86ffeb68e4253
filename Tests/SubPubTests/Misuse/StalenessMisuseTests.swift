import SubPub
import Testing

extension MisuseTests {
  @Suite("Time that runs backwards stops the program")
  struct StalenessMisuseTests {
    @Test("data can't become stale before it is there")
    func required_5_06_negativeStaleAfter() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = Publisher<Int>(staleAfter: .seconds(-5))
      }
      #expect(message(result).contains("staleAfter is -5"))
    }

    @Test("data can't come from the future, whether or not it can become stale", arguments: [true, false])
    func required_5_06_negativeAge(canBecomeStale: Bool) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        [canBecomeStale] in
        Publisher<Int>(staleAfter: canBecomeStale ? .seconds(60) : nil).updateData(1, age: .milliseconds(-1))
      }
      #expect(message(result).contains("age is -0.001"))
    }

    @Test("zero is no mistake")
    func required_5_06_zero() {
      let publisher = Publisher<Int>(staleAfter: .zero)
      publisher.updateData(1, age: .zero)
      #expect(publisher.isStale)
    }
  }
}
