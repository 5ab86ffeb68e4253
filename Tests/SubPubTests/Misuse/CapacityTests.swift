import SubPub
import SubPubTesting
import Testing

extension MisuseTests {
  /// Everything that takes a buffering policy.
  enum BufferedFace: String, CaseIterable, Codable, Sendable {
    case typed, typeless, mainActorTyped, mainActorTypeless
    case handler, method, mainActorHandler, mainActorMethod, actorHandler
    case explicitPublisher, mainActorExplicitPublisher, states, values

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

    @MainActor func use(_ policy: BufferingPolicy) {
      let publisher = Publisher<Int>()
      switch self {
      case .typed: publisher.subscribe(Recorder<Int>(), on: .immediate, buffering: policy)
      case .typeless: publisher.subscribe(Listener(), on: .immediate, buffering: policy)
      case .mainActorTyped: publisher.subscribe(Screen(), buffering: policy)
      case .mainActorTypeless: publisher.subscribe(Screen() as any MainActorSubscriber, buffering: policy)
      case .handler: publisher.subscribe(Listener(), on: .immediate, buffering: policy) { $0.hear($1) }
      case .method: publisher.subscribe(Listener(), on: .immediate, buffering: policy, calling: Listener.hear)
      case .mainActorHandler: publisher.subscribe(Screen(), buffering: policy) { $0.receive($1) }
      case .mainActorMethod: publisher.subscribe(Screen(), buffering: policy, calling: Screen.receive)
      case .actorHandler: publisher.subscribe(Counter(), buffering: policy) { $0.count($1) }
      case .explicitPublisher:
        ExplicitPublisher<Int, any Subscriber> { _, _ in }.subscribe(Listener(), on: .immediate, buffering: policy)
      case .mainActorExplicitPublisher:
        MainActorExplicitPublisher<Int, any MainActorSubscriber> { _, _ in }.subscribe(Screen(), buffering: policy)
      case .states: _ = publisher.states(buffering: policy)
      case .values: _ = publisher.values(buffering: policy)
      }
    }
  }

  @Suite("A buffer that can keep nothing would lose the last state: it stops the program")
  struct CapacityTests {
    @Test("zero, wherever a policy can be given", arguments: BufferedFace.allCases)
    func required_2_04_zero(face: BufferedFace) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [face] in
        await face.use(.newest(0))
      }
      #expect(message(result).contains(".newest(0) keeps no state"))
    }

    @Test("less than nothing", arguments: [BufferedFace.typed, .states])
    func required_2_04_negative(face: BufferedFace) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [face] in
        await face.use(.oldest(-3))
      }
      #expect(message(result).contains(".oldest(-3) keeps no state"))
    }

    @Test("each of the two policies, at zero and below", arguments: [0, -1, Int.min])
    func required_2_04_bothPolicies(capacity: Int) async {
      let newest = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [capacity] in
        await BufferedFace.typed.use(.newest(capacity))
      }
      #expect(message(newest).contains(".newest(\(capacity)) keeps no state"))
      let oldest = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [capacity] in
        await BufferedFace.typed.use(.oldest(capacity))
      }
      #expect(message(oldest).contains(".oldest(\(capacity)) keeps no state"))
    }

    @Test("every other capacity is accepted everywhere", arguments: BufferedFace.allCases)
    @MainActor func required_2_04_accepted(face: BufferedFace) {
      for policy: BufferingPolicy in [.unbounded, .latest, .newest(1), .oldest(1), .newest(.max), .oldest(.max)] {
        face.use(policy)
      }
    }
  }
}
