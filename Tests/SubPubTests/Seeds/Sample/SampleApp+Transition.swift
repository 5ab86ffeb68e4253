extension SampleApp {
  /// From one state to the next, and why.
  struct Transition: Hashable, Sendable, CustomStringConvertible {
    let from: Shape
    let cause: Cause
    let to: Shape

    var description: String { "\(from) -\(cause)-> \(to)" }
  }
}

extension SampleApp.Transition {
  /// What may become of what. Whatever isn't here is no transition: to look at fresh data, say, or to pull twice.
  static let legal: [Self] =
    on(.unknown, [.appear: [.loading], .pull: [.loading], .force: [.loading], .logout: [.unknown]])
    + on(
      .loading,
      [
        .force: [.loading], .answer: [.fresh], .refusal: [.error], .timeout: [.error], .logout: [.unknown],
        .leave: [.unknown, .error], .release: [.unknown, .error],
      ])
    + on(
      .loadingWithPrevious,
      [
        .force: [.loadingWithPrevious], .answer: [.fresh], .refusal: [.errorWithPrevious],
        .timeout: [.errorWithPrevious], .logout: [.unknown], .leave: [.fresh, .stale, .errorWithPrevious],
        .release: [.fresh, .stale, .errorWithPrevious],
      ])
    + on(.fresh, [.pull: [.loadingWithPrevious], .force: [.loadingWithPrevious], .logout: [.unknown]])
    + on(
      .stale,
      [
        .appear: [.loadingWithPrevious], .pull: [.loadingWithPrevious], .force: [.loadingWithPrevious],
        .logout: [.unknown],
      ])
    + on(.error, [.appear: [.loading], .pull: [.loading], .force: [.loading], .logout: [.unknown]])
    + on(
      .errorWithPrevious,
      [
        .appear: [.loadingWithPrevious], .pull: [.loadingWithPrevious], .force: [.loadingWithPrevious],
        .logout: [.unknown],
      ])

  /// The same for a list of pages: the first page overtakes a later one, and a list is as old as its first page.
  static let legalForPages: [Self] =
    legal
    + on(.unknown, [.nextPage: [.loading]])
    + on(.loadingWithPrevious, [.pull: [.loadingWithPrevious], .answer: [.stale]])
    + on(.fresh, [.nextPage: [.loadingWithPrevious]])
    + on(.stale, [.nextPage: [.loadingWithPrevious]])
    + on(.error, [.nextPage: [.loading]])
    + on(.errorWithPrevious, [.nextPage: [.loadingWithPrevious]])

  private static func on(_ from: SampleApp.Shape, _ ways: [SampleApp.Cause: [SampleApp.Shape]]) -> [Self] {
    ways.flatMap { cause, goals in goals.map { Self(from: from, cause: cause, to: $0) } }
  }
}
