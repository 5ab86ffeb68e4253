/// The way in which a subscriber meets the publisher.
package enum Interface: Int, CaseIterable, Sendable {
  case typed, untyped, mainTyped, mainUntyped, handler, mainHandler, actorHandler
  case explicit, mainExplicit, states, values, publications, multicast, mainMulticast

  package var isSequence: Bool { self == .states || self == .values || self == .publications }

  /// Those that take a subscriber on any context.
  package static let anywhere: [Interface] = [.typed, .untyped, .handler, .explicit]
  /// Those of the main actor that any thread can use to subscribe.
  package static let main: [Interface] = [.mainTyped, .mainUntyped, .mainHandler]
}
