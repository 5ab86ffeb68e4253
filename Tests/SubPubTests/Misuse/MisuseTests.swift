import SubPub
import Testing

/// Each test runs a process that stops, and checks its message, because it may have stopped for another reason.
@Suite(
  "A programmer error stops the program, in debug and in release, and the message tells what is wrong",
  .timeLimit(.minutes(1)))
enum MisuseTests {
  /// What the process printed to its standard error.
  static func message(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }

  /// Every operation that changes a publisher.
  enum Change: String, CaseIterable, Codable, Sendable {
    case startLoading, updateData, setError, reset, setState, republish, update, updateDataIfChanged

    struct Failure: Error {}

    func make(at publisher: Publisher<Int>) {
      switch self {
      case .startLoading: publisher.startLoading()
      case .updateData: publisher.updateData(2)
      case .setError: publisher.setError(Failure())
      case .reset: publisher.reset()
      case .setState: publisher.setState(.loaded(3))
      case .republish: publisher.republish()
      case .update: publisher.update { $0 }
      case .updateDataIfChanged: publisher.updateData(ifChanged: 4)
      }
    }
  }

  @Suite("A transform that changes its own publisher would run forever, so it stops the program")
  struct TransformMisuseTests {
    @Test("changing it with any operation stops the program", arguments: Change.allCases)
    func required_1_01_directly(change: Change) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [change] in
        let publisher = Publisher<Int>(label: "balance")
        publisher.update { state in
          change.make(at: publisher)
          return state
        }
      }
      #expect(message(result).contains("on balance changes the same publisher"))
    }

    @Test("changing it in another publisher's transform stops the program", arguments: [Change.updateData, .update])
    func required_1_01_throughAnother(change: Change) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [change] in
        let (publisher, other) = (Publisher<Int>(label: "balance"), Publisher<Int>(label: "other"))
        publisher.update { state in
          other.update { otherState in
            change.make(at: publisher)
            return otherState
          }
          return state
        }
      }
      #expect(message(result).contains("on balance changes the same publisher"))
    }

    @Test("changing it in an immediate subscriber of another publisher stops the program")
    func required_1_01_throughSubscriber() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let (publisher, other) = (Publisher<Int>(label: "balance"), Publisher<Int>(label: "other"))
        publisher.update { state in
          other.subscribe(publisher, on: .immediate) { publisher, _ in publisher.updateData(1) }
          return state
        }
      }
      #expect(message(result).contains("on balance changes the same publisher"))
    }

    @Test(
      "changing it in the == of updateData(ifChanged:) stops the program",
      arguments: [Change.startLoading, .updateDataIfChanged])
    func required_1_01_fromEquality(change: Change) async {
      struct Meddler: Equatable, Sendable {
        let change: Change
        let publisher: Publisher<Meddler>

        static func == (left: Meddler, right: Meddler) -> Bool {
          if left.change == .startLoading {
            left.publisher.startLoading()
          } else {
            left.publisher.updateData(ifChanged: right)
          }
          return false
        }
      }
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [change] in
        let publisher = Publisher<Meddler>(label: "balance")
        publisher.updateData(Meddler(change: change, publisher: publisher))
        publisher.updateData(ifChanged: Meddler(change: change, publisher: publisher))
      }
      #expect(message(result).contains("on balance changes the same publisher"))
    }
  }

  @Suite("A second publisher for a type in a directory stops the program")
  struct DirectoryMisuseTests {
    @Test("registering it stops the program, with a message that names both publishers and the type")
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

    @Test("registering one stops the program if the directory has created another")
    func required_2_06_afterMade() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let directory = PublisherDirectory()
        _ = directory.publisher(of: Int.self)
        directory.register(Publisher<Int>(label: "mine"))
      }
      #expect(message(result).contains("mine can't be registered as the publisher of Int: Int is, and is alive"))
    }

    @Test("registering its manager stops the program, even after a logout of the first manager")
    func required_2_06_secondManager() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let (directory, journal) = (PublisherDirectory(), Journal<String>())
        let first = ClassManager(Publisher<Int>(label: "a"), in: journal)
        directory.register(first)
        directory.logoutAll()
        directory.register(StructManager(publisher: Publisher<Int>(label: "b"), journal: journal))
        withExtendedLifetime(first) {}
      }
      #expect(message(result).contains("b can't be registered as the publisher of Int: a is, and is alive"))
    }
  }
}
