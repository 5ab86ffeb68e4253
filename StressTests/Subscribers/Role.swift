import SubPub

/// Which context, face and policy a subscription has.
struct Role: Sendable {
  var place: Place
  var face: Face
  var policy: BufferingPolicy = .unbounded

  /// One at random that any thread can subscribe.
  static func draw(_ random: inout SplitMix, at places: Places = .shared) -> Role {
    let policy = BufferingPolicy.draw(&random)
    // The last is an actor that is its own subscriber.
    let venue = Venue(rawValue: random.draw(Venue.task.rawValue + 1)) ?? .task
    switch venue {
    case .main: return Role(place: places.draw(.main, &random), face: random.pick(Face.main), policy: policy)
    case .task: return .actorHandler(policy)
    default: return Role(place: places.draw(venue, &random), face: random.pick(Face.anywhere), policy: policy)
    }
  }

  static func actorHandler(_ policy: BufferingPolicy) -> Role {
    Role(place: Place(.actor, nil), face: .actorHandler, policy: policy)
  }

  static func sequence(_ face: Face, _ policy: BufferingPolicy) -> Role {
    Role(place: Place(.task, nil), face: face, policy: policy)
  }
}
