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

    @Test("every function accepts every other policy")
    @MainActor func required_2_04_accepted() {
      for function in Self.functions.values {
        for policy in [.unbounded, .latest, .newest(1), .newest(.max)] as [BufferingPolicy] {
          function(Publisher(), policy)
        }
      }
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
}
