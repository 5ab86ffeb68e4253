import SubPub
import SubPubTesting
import Testing

extension MisuseTests {
  @Suite("A buffer without room would lose the last state, so it stops the program")
  struct CapacityTests {
    @MainActor private final class Screen: MainActorTypedSubscriber, MainActorSubscriber {
      func receive(_ state: LoadState<Int>) {}
      func receive(_ publication: any AnyPublication) {}
    }

    private actor Counter {
      func count(_ state: LoadState<Int>) {}
    }

    typealias Function = @MainActor @Sendable (Publisher<Int>, BufferingPolicy) -> Void

    /// Every function that takes a buffering policy.
    static let functions: [String: Function] = [
      "typed": { $0.subscribe(Recorder<Int>(), on: .immediate, buffering: $1) },
      "untyped": { $0.subscribe(Listener(), on: .immediate, buffering: $1) },
      "main-actor typed": { $0.subscribe(Screen(), buffering: $1) },
      "main-actor untyped": { $0.subscribe(Screen() as any MainActorSubscriber, buffering: $1) },
      "closure": { $0.subscribe(Recorder<Int>(), on: .immediate, buffering: $1) { $0.receive($1) } },
      "main-actor closure": { $0.subscribe(Screen(), buffering: $1) { $0.receive($1) } },
      "actor closure": { $0.subscribe(Counter(), buffering: $1) { $0.count($1) } },
      "observer": { _ = $0.observe(on: .immediate, buffering: $1) { _ in } },
      "main-actor observer": { _ = $0.observe(buffering: $1) { _ in } },
      "explicit": {
        ExplicitPublisher<Int, any Subscriber> { _, _ in }.subscribe(Listener(), on: .immediate, buffering: $1)
      },
      "main-actor explicit": {
        MainActorExplicitPublisher<Int, any MainActorSubscriber> { _, _ in }.subscribe(Screen(), buffering: $1)
      },
      "states": { _ = $0.states(buffering: $1) },
      "values": { _ = $0.values(buffering: $1) },
      "publications": { _ = $0.publications(buffering: $1) },
      "directory": { PublisherDirectory().subscribeToAll(Listener(), on: .immediate, buffering: $1) },
    ]

    @Test(
      "every function that takes a policy rejects a capacity below one",
      arguments: CapacityTests.functions.keys.sorted(), [0, Int.min])
    func required_2_04_rejected(function: String, capacity: Int) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        [function, capacity] in
        await CapacityTests.functions[function]?(Publisher(), .newest(capacity))
      }
      #expect(message(result).contains(".newest(\(capacity)) keeps no state"))
    }
  }

  /// The types that take `any SomeProtocol`, which may not be a class instance.
  enum ExistentialTaker: String, CaseIterable, Codable, Sendable {
    case explicitPublisher, mainActorExplicitPublisher, multicastDelegate, mainActorMulticastDelegate

    /// The word for a subscriber in its messages.
    var role: String { rawValue.hasSuffix("Publisher") ? "subscriber" : "delegate" }

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

  protocol Delegate: Sendable {}
  struct DelegateStruct: Delegate {}
  enum DelegateEnum: Delegate { case only }
  final class DelegateClass: Delegate {}
  actor DelegateActor: Delegate {}
  final class Trouble: Error {}

  /// Values that can't be held weakly, under the messages about them, where ROLE stands for the word.
  static let noInstances: [String: @MainActor @Sendable (ExistentialTaker) -> Void] = [
    "DelegateStruct can't be a ROLE, as only class instances can be": { $0.add(DelegateStruct() as any Delegate) },
    "DelegateEnum can't be a ROLE, as only class instances can be": { $0.add(DelegateEnum.only as any Delegate) },
    "Trouble can't be a ROLE through Error, as the object would be put into a box": { $0.add(Trouble() as any Error) },
    "Optional<Delegate> can't be a ROLE, as only class instances can be": {
      $0.add(DelegateClass() as (any Delegate)?)
    },
    // While unsubscribing.
    "Struct can't be a ROLE, as only class instances can be": { $0.remove(DelegateStruct() as any Delegate) },
    // An optional that is empty.
    "<Delegate> can't be a ROLE, as only class instances can be": { $0.add(nil as (any Delegate)?) },
  ]

  @Suite("Only a class instance can be held weakly, so any other value stops the program")
  struct NoClassInstanceTests {
    @Test(
      "subscribing or unsubscribing such a value stops the program",
      arguments: MisuseTests.noInstances.keys.sorted(), ExistentialTaker.allCases)
    func required_2_05_noInstance(message: String, taker: ExistentialTaker) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [message, taker] in
        await MisuseTests.noInstances[message]?(taker)
      }
      #expect(MisuseTests.message(result).contains(message.replacing("ROLE", with: taker.role)))
    }

    @Test("a class instance or an actor can subscribe and unsubscribe", arguments: ExistentialTaker.allCases)
    @MainActor func required_2_05_objects(taker: ExistentialTaker) {
      let (object, actor) = (DelegateClass(), DelegateActor())
      taker.add(object as any Delegate)
      taker.add(actor as any Delegate)
      taker.add(object)
      taker.remove(object as any Delegate)
      taker.remove(actor as any Delegate)
      taker.remove(object)
    }
  }
}
