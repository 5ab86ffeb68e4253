/// A way to treat a manager. Where less is done, more can be said of what came of it.
enum LoadProfile: CaseIterable, Sendable {
  /// How it comes to its end.
  enum Ending { case answered, cancelled, loggedOut, released }

  case shared, waiters, forced, storm, released, pages, pageStorm

  var mix: LoadMix {
    switch self {
    case .shared: [.refresh, .appear, .copies]
    case .waiters: [.refresh, .cancel]
    case .forced: [.refresh, .force, .appear]
    case .storm: [.refresh, .force, .appear, .cancel, .logout, .foreign, .copies]
    case .released: [.refresh, .appear, .cancel]
    case .pages: [.nextPage, .copies]
    case .pageStorm: [.refresh, .force, .nextPage, .appear, .cancel, .logout, .foreign]
    }
  }

  var ending: Ending {
    switch self {
    case .shared, .forced, .pages: .answered
    case .waiters: .cancelled
    case .storm, .pageStorm: .loggedOut
    case .released: .released
    }
  }
}
