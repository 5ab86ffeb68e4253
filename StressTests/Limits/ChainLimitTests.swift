import Dispatch
import Foundation
import SubPub
import Support
import Testing

extension StressTests {
  @Test(
    "a chain of a hundred thousand publishes from callbacks", .enabled(if: StressSettings.current.isLarge),
    arguments: [DeliveryContext.immediate, .main, .background])
  func limit_4_04_aChain(context: DeliveryContext) async {
    let links = 100_000
    let (publisher, done) = (Publisher<Int>(), Countdown(1))
    let counter = Counter { value in if value < links { publisher.updateData(value + 1) } else { done.arrive() } }
    publisher.subscribe(counter, on: context)
    _ = await measure("a chain of 100,000 publishes, \(context)") {
      // So small that a tenth of the chain would overflow it.
      let thread = Thread { publisher.updateData(1) }
      thread.stackSize = 256 << 10
      thread.start()
      #expect(await done.wait())
      await publisher.drain()
      return "\(counter.count) deliveries"
    }
    #expect(counter.count == links + 1)
    #expect(publisher.current.version == UInt64(links))
  }
}
