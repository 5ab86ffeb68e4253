/// The context, interface and policy of a subscription.
struct SubscriptionKind: Sendable {
  /// Nil for a task that iterates.
  var context: ContextKind?
  /// Nil for a task, and for an actor that is its own context.
  var place: Place?
  var interface: Interface
  var policy: BufferingPolicy

  init(at place: Place, _ interface: Interface = .typed, _ policy: BufferingPolicy = .unbounded) {
    (context, self.place, self.interface, self.policy) = (place.kind, place, interface, policy)
  }

  /// An actor that subscribes itself.
  init(actorWith policy: BufferingPolicy) { (context, interface, self.policy) = (.actor, .actorHandler, policy) }

  init(sequence interface: Interface, _ policy: BufferingPolicy) { (self.interface, self.policy) = (interface, policy) }

  /// Any kind that any thread can subscribe.
  static func draw(_ random: inout SeededGenerator) -> SubscriptionKind {
    let policy = BufferingPolicy.draw(&random)
    let index = random.draw(ContextKind.allCases.count + 1)
    guard index < ContextKind.allCases.count else { return SubscriptionKind(actorWith: policy) }
    let place = Places.draw(ContextKind.allCases[index], &random)
    return SubscriptionKind(at: place, random.pick(place.kind == .main ? Interface.main : Interface.anywhere), policy)
  }
}

extension Interface {
  /// Those that take a subscriber on any context.
  static let anywhere: [Interface] = [.typed, .untyped, .handler, .explicit]
  /// Those of the main actor that any thread can use to subscribe.
  static let main: [Interface] = [.mainTyped, .mainUntyped, .mainHandler]
  static let sequences: [Interface] = [.states, .values, .publications]
}

/// The contexts that all rounds share: all kinds, and several of some.
enum Places {
  static let all: [Place] =
    ContextKind.allCases.map { Place($0) } + [Place(.queue), Place(.actor), .serialExecutor()]

  static subscript(_ kind: ContextKind) -> [Place] { all.filter { $0.kind == kind } }
  static var main: Place { self[.main][0] }

  static func draw(_ kind: ContextKind, _ random: inout SeededGenerator) -> Place { random.pick(self[kind]) }
}
