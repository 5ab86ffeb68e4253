import SubPub

/// Delegates of a company.
struct Delegation: Sendable {
  var joined: [Stage.Joined] = []
  var onMain: [Stage.Joined] = []

  /// One course for the delegates on any context, one for those of the main actor.
  func courses(of company: Company, calls: [Call], mainCalls: [Call]) async -> [Course] {
    await company.delegates.drain()
    await company.mainDelegates.drain()
    var courses: [Course] = []
    for (group, calls) in [(joined, calls), (onMain, mainCalls)] {
      var course = Course()
      course.calls = calls
      course.histories = await Cast(joined: group).settle()
      courses.append(course)
    }
    return courses
  }
}

extension Cast {
  /// Some on every context.
  static func delegates(of company: Company, in round: Round) async -> Delegation {
    var delegation = Delegation()
    delegation.joined = await Crew.alone {
      let venues = Venue.allCases.filter { $0 != .task }
      let places = venues.flatMap { venue in
        round.places[venue].flatMap { Array(repeating: $0, count: venue.isShared ? 4 : 2) }
      }
      return places.enumerated().map { company.add(at: $1, by: 0, order: $0) }
    }
    delegation.onMain = await MainActor.run {
      (0..<24).map { company.addOnMain(at: round.places[.main][0], by: 0, order: $0) }
    }
    return delegation
  }
}
