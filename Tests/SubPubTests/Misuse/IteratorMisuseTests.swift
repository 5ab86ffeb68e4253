import SubPub
import SubPubTesting
import Testing

extension MisuseTests {
  @Suite("An iterator serves one task")
  struct IteratorMisuseTests {
    @Test("two that await one stop the program")
    func required_6_01_twoTasks() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        await IteratorMisuseTests.awaitTwice(Publisher<Int>(label: "news"))
      }
      #expect(message(result).contains("Two tasks await one iterator of news"))
    }

    static func awaitTwice(_ publisher: Publisher<Int>) async {
      let executor = ManualExecutor()
      // The compiler would not let it pass without these words.
      nonisolated(unsafe) let iterator = publisher.states().makeAsyncIterator()
      for _ in 1...2 {
        Task(executorPreference: executor) {
          var copy = unsafe iterator
          // The first state is there; for the second one has to wait.
          while await copy.next() != nil {}
        }
      }
      executor.runAll()
      withExtendedLifetime(publisher) {}
    }
  }
}
