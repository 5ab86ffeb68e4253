/// What is done to a manager. What may come of it follows from this.
struct LoadMix: OptionSet, Hashable, Sendable {
  let rawValue: Int

  static let refresh = LoadMix(rawValue: 1)
  static let appear = LoadMix(rawValue: 2)
  static let force = LoadMix(rawValue: 4)
  static let nextPage = LoadMix(rawValue: 8)
  static let cancel = LoadMix(rawValue: 16)
  static let logout = LoadMix(rawValue: 32)
  /// Transitions that somebody else makes.
  static let foreign = LoadMix(rawValue: 64)
  /// The state once more, which overtakes nothing.
  static let copies = LoadMix(rawValue: 128)

  /// Nothing overtakes a load, and nobody gives one up: one call of the loader follows the other.
  var isShared: Bool { isDisjoint(with: [.force, .cancel, .logout, .foreign]) && !refreshesPages }
  /// One `loading` may follow the other.
  var mayRepeatLoading: Bool { !isDisjoint(with: [.force, .foreign, .copies]) || refreshesPages }
  /// The first page overtakes a later one.
  private var refreshesPages: Bool { isSuperset(of: [.nextPage, .refresh]) }

  /// One by one.
  var operations: [LoadMix] { (0..<8).map { LoadMix(rawValue: 1 << $0) }.filter { contains($0) } }
}
