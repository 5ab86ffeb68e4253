import SubPub
import SubPubTesting

/// Keeps objects alive until a test ends, and then opens the gates: a test that fails early leaves no thread behind.
final class TestLifetime: Sendable {
  fileprivate let objects = Locked<[any AnyObject & Sendable]>([])

  deinit { for object in objects.withLock({ $0 }) { ((object as? HeldRecorder)?.gate ?? object as? Gate)?.open() } }
}

/// A suite whose tests make contexts, subscribers and gates that last until the test ends.
protocol ContractSuite: Sendable {
  /// Ends with the test, because each test runs in an instance of its own.
  var lifetime: TestLifetime { get }
}

extension Publisher {
  /// Subscribes with a closure that captures an object whose death counts.
  @discardableResult
  func subscribe<Object: AnyObject & Sendable>(
    _ object: Object, on context: DeliveryContext, buffering: BufferingPolicy = .unbounded, capturing deaths: Deaths,
    handler: @escaping @Sendable (Object, LoadState<Value>) -> Void = { _, _ in }
  ) -> Subscription {
    let captured = deaths.makeToken()
    return subscribe(object, on: context, buffering: buffering) { object, state in
      handler(object, state)
      withExtendedLifetime(captured) {}
    }
  }
}

extension ContractSuite {
  /// Keeps an object alive until the test ends.
  func keep<Object: AnyObject & Sendable>(_ object: Object) -> Object {
    lifetime.objects.withLock { $0.append(object) }
    return object
  }

  func makePlace(_ kind: ContextKind) -> Place { keep(Place(kind)) }

  /// An object to subscribe with a closure.
  func makeListener() -> Deaths.Token { keep(Deaths().makeToken()) }

  /// A gate that opens when the test ends.
  func makeGate() -> Gate { keep(Gate()) }

  func makeHeldRecorder(at version: UInt64 = 1) -> HeldRecorder { keep(HeldRecorder(at: version)) }

  /// Subscribes a recorder, publishes 1, and returns when that delivery is held.
  func holdDelivery(of publisher: Publisher<Int>, on context: DeliveryContext) async throws -> HeldRecorder {
    let held = makeHeldRecorder()
    publisher.subscribe(held, on: context)
    try await held.hold(publisher)
    return held
  }
}
