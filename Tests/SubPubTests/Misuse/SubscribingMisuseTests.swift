import SubPub
import SubPubTesting
import Testing

extension MisuseTests {
  /// Every function that takes a buffering policy.
  enum BufferedFunction: String, CaseIterable, Codable, Sendable {
    case typed, untyped, mainActorTyped, mainActorUntyped
    case closure, mainActorClosure, actorClosure, observer, mainActorObserver
    case explicitPublisher, mainActorExplicitPublisher, states, values, publications, directory

    @MainActor private final class Screen: MainActorTypedSubscriber, MainActorSubscriber {
      func receive(_ state: LoadState<Int>) {}
      func receive(_ publication: any AnyPublication) {}
    }

    private final class Listener: Subscriber {
      func receive(_ publication: any AnyPublication) {}
      func hear(_ state: LoadState<Int>) {}
    }

    private actor Counter {
      func count(_ state: LoadState<Int>) {}
    }

    @MainActor func call(with policy: BufferingPolicy) {
      let publisher = Publisher<Int>()
      switch self {
      case .typed: publisher.subscribe(Recorder<Int>(), on: .immediate, buffering: policy)
      case .untyped: publisher.subscribe(Listener(), on: .immediate, buffering: policy)
      case .mainActorTyped: publisher.subscribe(Screen(), buffering: policy)
      case .mainActorUntyped: publisher.subscribe(Screen() as any MainActorSubscriber, buffering: policy)
      case .closure: publisher.subscribe(Listener(), on: .immediate, buffering: policy) { $0.hear($1) }
      case .mainActorClosure: publisher.subscribe(Screen(), buffering: policy) { $0.receive($1) }
      case .actorClosure: publisher.subscribe(Counter(), buffering: policy) { $0.count($1) }
      case .observer: _ = publisher.observe(on: .immediate, buffering: policy) { _ in }
      case .mainActorObserver: _ = publisher.observe(buffering: policy) { _ in }
      case .explicitPublisher:
        ExplicitPublisher<Int, any Subscriber> { _, _ in }.subscribe(Listener(), on: .immediate, buffering: policy)
      case .mainActorExplicitPublisher:
        MainActorExplicitPublisher<Int, any MainActorSubscriber> { _, _ in }.subscribe(Screen(), buffering: policy)
      case .states: _ = publisher.states(buffering: policy)
      case .values: _ = publisher.values(buffering: policy)
      case .publications: _ = publisher.publications(buffering: policy)
      case .directory: PublisherDirectory().subscribeToAll(Listener(), on: .immediate, buffering: policy)
      }
    }
  }

  @Suite("A buffer without room would lose the last state, so it stops the program")
  struct CapacityTests {
    @Test("every function that takes a policy rejects a capacity of zero", arguments: BufferedFunction.allCases)
    func required_2_04_zero(function: BufferedFunction) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [function] in
        await function.call(with: .newest(0))
      }
      #expect(message(result).contains(".newest(0) keeps no state"))
    }

    @Test("a negative capacity is rejected, too", arguments: [BufferedFunction.typed, .states], [-3, Int.min])
    func required_2_04_negative(function: BufferedFunction, capacity: Int) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        [function, capacity] in
        await function.call(with: .newest(capacity))
      }
      #expect(message(result).contains(".newest(\(capacity)) keeps no state"))
    }

    @Test("every function accepts every other policy", arguments: BufferedFunction.allCases)
    @MainActor func required_2_04_accepted(function: BufferedFunction) {
      for policy: BufferingPolicy in [.unbounded, .latest, .newest(1), .newest(.max)] { function.call(with: policy) }
    }
  }

  /// The types that take `any SomeProtocol`, which may not be a class instance.
  enum ExistentialTaker: String, CaseIterable, Codable, Sendable {
    case explicitPublisher, mainActorExplicitPublisher, multicastDelegate, mainActorMulticastDelegate

    /// The word for a subscriber in its messages.
    var role: String {
      switch self {
      case .explicitPublisher, .mainActorExplicitPublisher: "subscriber"
      case .multicastDelegate, .mainActorMulticastDelegate: "delegate"
      }
    }

    @MainActor func add<T: Sendable>(_ value: T) {
      switch self {
      case .explicitPublisher: ExplicitPublisher<Int, T> { _, _ in }.subscribe(value, on: .immediate)
      case .mainActorExplicitPublisher: MainActorExplicitPublisher<Int, T> { _, _ in }.subscribe(value)
      case .multicastDelegate: MulticastDelegate<T>().add(value, on: .immediate)
      case .mainActorMulticastDelegate: MainActorMulticastDelegate<T>().add(value)
      }
    }

    @MainActor func remove<T: Sendable>(_ value: T) {
      switch self {
      case .explicitPublisher: ExplicitPublisher<Int, T> { _, _ in }.unsubscribe(value)
      case .mainActorExplicitPublisher: MainActorExplicitPublisher<Int, T> { _, _ in }.unsubscribe(value)
      case .multicastDelegate: MulticastDelegate<T>().remove(value)
      case .mainActorMulticastDelegate: MainActorMulticastDelegate<T>().remove(value)
      }
    }
  }

  /// Values that can't be held weakly, with the message about them.
  enum NoInstance: String, CaseIterable, Codable, Sendable {
    case structure, enumeration, box, optional, emptyOptional

    protocol Listener: Sendable {}
    struct ListenerStruct: Listener {}
    enum ListenerEnum: Listener { case only }
    final class ListenerClass: Listener {}
    actor ListenerActor: Listener {}
    final class Trouble: Error {}

    @MainActor func add(to taker: ExistentialTaker) {
      switch self {
      case .structure: taker.add(ListenerStruct() as any Listener)
      case .enumeration: taker.add(ListenerEnum.only as any Listener)
      case .box: taker.add(Trouble() as any Error)
      case .optional: taker.add(ListenerClass() as (any Listener)?)
      case .emptyOptional: taker.add(nil as (any Listener)?)
      }
    }

    func message(_ role: String) -> String {
      switch self {
      case .structure: "ListenerStruct can't be a \(role), as only class instances can be"
      case .enumeration: "ListenerEnum can't be a \(role), as only class instances can be"
      case .box: "Trouble can't be a \(role) through Error, as the object would be put into a box"
      case .optional, .emptyOptional: "Optional<Listener> can't be a \(role), as only class instances can be"
      }
    }
  }

  @Suite("Only a class instance can be held weakly, so any other value stops the program")
  struct NoClassInstanceTests {
    @Test("subscribing such a value stops the program", arguments: NoInstance.allCases, ExistentialTaker.allCases)
    func required_2_05_noInstance(value: NoInstance, taker: ExistentialTaker) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [value, taker] in
        await value.add(to: taker)
      }
      #expect(message(result).contains(value.message(taker.role)))
    }

    @Test("unsubscribing such a value stops the program", arguments: ExistentialTaker.allCases)
    func required_2_05_leaving(taker: ExistentialTaker) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [taker] in
        await taker.remove(NoInstance.ListenerStruct() as any NoInstance.Listener)
      }
      #expect(message(result).contains(NoInstance.structure.message(taker.role)))
    }

    @Test("a class instance or an actor can subscribe and unsubscribe", arguments: ExistentialTaker.allCases)
    @MainActor func required_2_05_objects(taker: ExistentialTaker) {
      let (object, actor) = (NoInstance.ListenerClass(), NoInstance.ListenerActor())
      taker.add(object as any NoInstance.Listener)
      taker.add(actor as any NoInstance.Listener)
      taker.add(object)
      taker.remove(object as any NoInstance.Listener)
      taker.remove(actor as any NoInstance.Listener)
      taker.remove(object)
    }
  }

  @Suite("An iterator that two tasks await stops the program")
  struct IteratorMisuseTests {
    @Test("the message names its publisher")
    func required_6_01_twoTasks() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        await IteratorMisuseTests.awaitTwice(Publisher<Int>(label: "news"))
      }
      #expect(message(result).contains("Two tasks await one iterator of news"))
    }

    static func awaitTwice(_ publisher: Publisher<Int>) async {
      let executor = ManualExecutor()
      // Without this the compiler rejects the program.
      nonisolated(unsafe) let iterator = publisher.states().makeAsyncIterator()
      for _ in 1...2 {
        Task(executorPreference: executor) {
          var copy = unsafe iterator
          // Only the first state is available, so the second call suspends.
          while await copy.next() != nil {}
        }
      }
      executor.runAll()
      withExtendedLifetime(publisher) {}
    }
  }
}
