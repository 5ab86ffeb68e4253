import SubPub
import SubPubTesting
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// Rule 5.03: what sharing costs.
extension Section5LoadTests {
  /// The processor time of this thread.
  private static var processorTime: Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  @Test("joining a load, and leaving it, costs the same for any number of callers")
  func required_5_03_5_05_cost() {
    func cost(callers count: Int) -> Duration {
      let bench = LoadBench()
      let start = Self.processorTime
      let callers = (0..<count).map { _ in bench.refresh() }
      for caller in callers.reversed() { bench.cancel(caller) }
      let cost = (Self.processorTime - start) / count
      #expect(bench.source.cancelled == [0])
      return cost
    }
    let (few, many) = (cost(callers: 1_000), cost(callers: 40_000))
    print("a join and a cancel take \(few) with 1,000 callers, and \(many) with 40,000")
    #expect(many < few * 4)
  }
}
