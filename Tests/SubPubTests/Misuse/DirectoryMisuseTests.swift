import SubPub
import Testing

extension MisuseTests {
  @Suite("A type has one publisher in a directory: a second one stops the program")
  struct DirectoryMisuseTests {
    @Test("a second that is registered while the first lives: both are named, and the type")
    func required_2_06_secondPublisher() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let directory = PublisherDirectory()
        let (first, second) = (Publisher<[Int]>(label: "first one"), Publisher<[Int]>(label: "second one"))
        directory.register(first)
        directory.register(second)
        withExtendedLifetime((first, second)) {}
      }
      #expect(
        message(result).contains(
          "second one can't be registered as the publisher of Array<Int>: first one is, and is alive"))
    }

    @Test("one that is registered after another was made")
    func required_2_06_afterMade() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let directory = PublisherDirectory()
        _ = directory.publisher(of: Int.self)
        directory.register(Publisher<Int>(label: "mine"))
      }
      #expect(message(result).contains("mine can't be registered as the publisher of Int: Int is, and is alive"))
    }

    @Test("a second manager with a publisher of its own")
    func required_2_06_secondManager() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let (directory, journal) = (PublisherDirectory(), Journal<String>())
        let first = ClassManager(Publisher<Int>(label: "a"), in: journal)
        directory.register(first)
        // Only meanwhile it would do.
        directory.logoutAll()
        directory.register(StructManager(publisher: Publisher<Int>(label: "b"), journal: journal))
        withExtendedLifetime(first) {}
      }
      #expect(message(result).contains("b can't be registered as the publisher of Int: a is, and is alive"))
    }

    @Test("a buffer that can keep nothing, before there is any publisher")
    func required_2_04_zero() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        PublisherDirectory().subscribeToAll(Watcher(), on: .immediate, buffering: .newest(0))
      }
      #expect(message(result).contains(".newest(0) keeps no state"))
    }
  }
}
