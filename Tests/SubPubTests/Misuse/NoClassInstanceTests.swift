import SubPub
import Testing

extension MisuseTests {
  /// The faces that take `any SomeProtocol`, whose type doesn't say whether it is an object.
  enum ExistentialFace: String, CaseIterable, Codable, Sendable {
    case explicitPublisher, mainActorExplicitPublisher, multicastDelegate, mainActorMulticastDelegate

    /// What it calls those who join.
    var role: String {
      switch self {
      case .explicitPublisher, .mainActorExplicitPublisher: "subscriber"
      case .multicastDelegate, .mainActorMulticastDelegate: "delegate"
      }
    }

    @MainActor func join<T: Sendable>(_ value: T) {
      switch self {
      case .explicitPublisher: ExplicitPublisher<Int, T> { _, _ in }.subscribe(value, on: .immediate)
      case .mainActorExplicitPublisher: MainActorExplicitPublisher<Int, T> { _, _ in }.subscribe(value)
      case .multicastDelegate: MulticastDelegate<T>().add(value, on: .immediate)
      case .mainActorMulticastDelegate: MainActorMulticastDelegate<T>().add(value)
      }
    }

    @MainActor func leave<T: Sendable>(_ value: T) {
      switch self {
      case .explicitPublisher: ExplicitPublisher<Int, T> { _, _ in }.unsubscribe(value)
      case .mainActorExplicitPublisher: MainActorExplicitPublisher<Int, T> { _, _ in }.unsubscribe(value)
      case .multicastDelegate: MulticastDelegate<T>().remove(value)
      case .mainActorMulticastDelegate: MainActorMulticastDelegate<T>().remove(value)
      }
    }
  }

  @Suite("Only a class instance can be held weakly: anything else through any Protocol stops the program")
  struct NoClassInstanceTests {
    protocol Listener: Sendable {}
    struct ListenerStruct: Listener { var number = 0 }
    enum ListenerEnum: Listener { case only }
    final class ListenerClass: Listener {}
    actor ListenerActor: Listener {}
    final class Trouble: Error {}

    @Test("a struct", arguments: ExistentialFace.allCases)
    func required_2_05_structs(face: ExistentialFace) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [face] in
        await face.join(ListenerStruct() as any Listener)
      }
      #expect(message(result).contains("ListenerStruct can't be a \(face.role), as only class instances can be"))
    }

    @Test("an enum", arguments: ExistentialFace.allCases)
    func required_2_05_enums(face: ExistentialFace) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [face] in
        await face.join(ListenerEnum.only as any Listener)
      }
      #expect(message(result).contains("ListenerEnum can't be a \(face.role), as only class instances can be"))
    }

    @Test("an object through a protocol that would put it into a box", arguments: ExistentialFace.allCases)
    func required_2_05_boxes(face: ExistentialFace) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [face] in
        await face.join(Trouble() as any Error)
      }
      #expect(
        message(result).contains("Trouble can't be a \(face.role) through Error, as the object would be put into a box")
      )
    }

    @Test("an optional, also when there is an object in it", arguments: ExistentialFace.allCases)
    func required_2_05_optionals(face: ExistentialFace) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [face] in
        await face.join(ListenerClass() as (any Listener)?)
      }
      #expect(message(result).contains("Optional<Listener> can't be a \(face.role), as only class instances can be"))
    }

    @Test("an optional that is empty", arguments: ExistentialFace.allCases)
    func required_2_05_nothing(face: ExistentialFace) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [face] in
        await face.join(nil as (any Listener)?)
      }
      #expect(message(result).contains("Optional<Listener> can't be a \(face.role), as only class instances can be"))
    }

    @Test("leaving as a struct is the same mistake", arguments: ExistentialFace.allCases)
    func required_2_05_leaving(face: ExistentialFace) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [face] in
        await face.leave(ListenerStruct() as any Listener)
      }
      #expect(message(result).contains("ListenerStruct can't be a \(face.role), as only class instances can be"))
    }

    @Test("a class instance and an actor may join and leave", arguments: ExistentialFace.allCases)
    @MainActor func required_2_05_objects(face: ExistentialFace) {
      let (object, actor) = (ListenerClass(), ListenerActor())
      face.join(object as any Listener)
      face.join(actor as any Listener)
      face.join(object)
      face.leave(object as any Listener)
      face.leave(actor as any Listener)
      face.leave(object)
    }
  }
}
