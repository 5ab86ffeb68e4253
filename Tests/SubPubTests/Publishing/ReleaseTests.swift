import Dispatch
import SubPub
import SubPubTesting
import Testing

extension PublishingTests {
  @Suite("Nothing is kept that nobody can reach")
  struct ReleaseTests {
    @Test("a released publisher lets go of everything, also when it had so many subscribers that it keeps an index")
    func required_3_06_index() {
      weak var probe: ManualExecutor?
      let recorders = (0..<40).map { _ in Recorder<Int>() }
      do {
        let (publisher, executor) = (Publisher<Int>(), ManualExecutor())
        probe = executor
        for recorder in recorders { publisher.subscribe(recorder, on: .executor(executor)) }
        executor.runAll()
        #expect(publisher.subscriberCount == 40)
      }
      #expect(probe == nil)
      withExtendedLifetime(recorders) {}
    }

    @Test("a cancelled subscription lets go of its executor when nobody keeps it")
    func required_3_05_executor() {
      let (publisher, recorder) = (Publisher<Int>(), Recorder<Int>())
      weak var probe: ManualExecutor?
      do {
        let executor = ManualExecutor()
        probe = executor
        let subscription = publisher.subscribe(recorder, on: .executor(executor))
        executor.runAll()
        #expect(subscription.cancel() == .quiescent)
      }
      #expect(probe == nil)
      withExtendedLifetime((publisher, recorder)) {}
    }

    @Test("how much ever waited is remembered, also when a cancel dropped it")
    func required_2_04_highWaterAfterCancel() {
      let (publisher, recorder, executor) = (Publisher<Int>(), Recorder<Int>(), ManualExecutor())
      let subscription = publisher.subscribe(recorder, on: .executor(executor))
      for value in 1...100 { publisher.updateData(value) }
      #expect(subscription.statistics.highWater == 101)
      subscription.cancel()
      #expect(subscription.statistics.highWater == 101)
      #expect(subscription.statistics.skipped == 101)
      executor.runAll()
      withExtendedLifetime(recorder) {}
    }
  }
}
