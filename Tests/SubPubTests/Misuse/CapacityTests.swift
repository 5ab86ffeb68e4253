import SubPub
import SubPubTesting
import Testing

extension MisuseTests {
  /// Everything that takes a buffering policy.
  enum BufferedFace: String, CaseIterable, Codable, Sendable {
    case typed, typeless, mainActorTyped, mainActorTypeless
    case closure, mainActorClosure, actorClosure, observer, mainActorObserver
    case explicitPublisher, mainActorExplicitPublisher, states, values, publications

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
        await face.use(.newest(-3))
      }
      #expect(message(result).contains(".newest(-3) keeps no state"))
    }

    @Test("zero and below", arguments: [0, -1, Int.min])
    func required_2_04_tooSmall(capacity: Int) async {
      let newest = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [capacity] in
        await BufferedFace.typed.use(.newest(capacity))
      }
      #expect(message(newest).contains(".newest(\(capacity)) keeps no state"))
    }

    @Test("every other capacity is accepted everywhere", arguments: BufferedFace.allCases)
    @MainActor func required_2_04_accepted(face: BufferedFace) {
      for policy: BufferingPolicy in [.unbounded, .latest, .newest(1), .newest(.max)] {
        face.use(policy)
      }
    }
  }
}
