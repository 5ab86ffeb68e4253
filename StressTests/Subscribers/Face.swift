/// How a subscriber meets the publisher.
enum Face: Int, CaseIterable, Sendable {
  case typed, untyped, mainTyped, mainUntyped, handler, mainHandler, actorHandler
  case explicit, mainExplicit, states, values, multicast, mainMulticast

  /// It delivers on the main actor, always.
  var isMain: Bool {
    switch self {
    case .mainTyped, .mainUntyped, .mainHandler, .mainExplicit, .mainMulticast: true
    default: false
    }
  }

  var isSequence: Bool { self == .states || self == .values }

  /// Takes a subscriber on any context.
  static let anywhere: [Face] = [.typed, .untyped, .handler, .explicit]
  /// Can be subscribed from any thread.
  static let main: [Face] = [.mainTyped, .mainUntyped, .mainHandler]
}
