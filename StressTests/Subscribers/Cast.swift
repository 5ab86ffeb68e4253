import SubPub

/// Subscribers that stay for a whole round.
struct Cast: Sendable {
  var joined: [Stage.Joined] = []
  var readers: [Reader] = []
  /// Cancelled long ago; they only stay alive until their histories are taken.
  var survivors: [Stage.Joined] = []

  /// Every context, face and policy.
  static func full(of stage: Stage, in round: Round) async -> Cast {
    var cast = await Crew.alone {
      var random = round.random(100)
      var cast = Cast()
      cast.add(Role(place: round.places.draw(.background, &random), face: .typed), to: stage)
      for _ in 0..<4 { for role in Self.crowd(round, &random) { cast.add(role, to: stage) } }
      for role in Self.loners(round, &random) { cast.add(role, to: stage) }
      for index in 0..<16 {
        let policy = index < 14 ? .unbounded : BufferingPolicy.draw(&random)
        cast.addReader(index % 2 == 0 ? .states : .values, policy, of: stage)
      }
      return cast
    }
    var random = round.random(101)
    let policies = (0..<10).map { _ in random.draw(2) == 0 ? .unbounded : BufferingPolicy.draw(&random) }
    let count = cast.joined.count
    cast.joined += await MainActor.run {
      policies.enumerated().map {
        stage.joinExplicitly($1, at: round.places[.main][0], by: 0, order: 1_000 + count + $0)
      }
    }
    return cast
  }

  /// Those who share lanes, which make a delivery cheap.
  private static func crowd(_ round: Round, _ random: inout SplitMix) -> [Role] {
    var roles: [Role] = []
    for venue in Venue.allCases where venue.isShared {
      for place in round.places[venue] {
        for face in venue == .main ? Face.main + Face.main : Face.anywhere {
          roles.append(Role(place: place, face: face, policy: random.draw(2) == 0 ? .unbounded : .draw(&random)))
        }
      }
    }
    return roles
  }

  /// Those who have a lane of their own.
  private static func loners(_ round: Round, _ random: inout SplitMix) -> [Role] {
    var roles: [Role] = []
    for venue in Venue.allCases where !venue.isShared && venue != .task {
      for face in [Face.typed, .handler] {
        roles.append(Role(place: round.places.draw(venue, &random), face: face))
        roles.append(
          Role(place: round.places.draw(venue, &random), face: random.pick(Face.anywhere), policy: .draw(&random)))
      }
    }
    roles += (0..<2).map { _ in Role.actorHandler(.unbounded) } + [Role.actorHandler(.draw(&random))]
    return roles
  }

  /// Faces that are told the version, so that the state needn't say it.
  static func tellers(of stage: Stage, in round: Round) async -> Cast {
    await Crew.alone {
      var random = round.random(102)
      var cast = Cast()
      cast.add(Role(place: round.places[.background][0], face: .typed), to: stage)
      for venue in Venue.allCases where venue != .task {
        for place in round.places[venue] {
          for _ in 0..<(venue.isShared ? 4 : 1) {
            let face = random.pick(venue == .main ? [Face.mainTyped, .mainUntyped] : [.typed, .untyped])
            cast.add(
              Role(place: place, face: face, policy: random.draw(2) == 0 ? .unbounded : .draw(&random)), to: stage)
          }
        }
      }
      return cast
    }
  }

  mutating func add(_ role: Role, to stage: Stage, reaction: DeliveryLog.Reaction? = nil) {
    joined.append(stage.join(role, by: 0, order: joined.count, reaction: reaction, capacity: 256))
  }

  mutating func addReader(_ face: Face, _ policy: BufferingPolicy, of stage: Stage) {
    readers.append(Reader(face, policy, of: stage, by: 0, order: readers.count))
  }
}
