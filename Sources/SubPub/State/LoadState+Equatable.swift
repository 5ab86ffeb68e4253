extension LoadState: Equatable where Value: Equatable {
  /// Two states are equal when their cases and values are; errors are compared by type and description,
  /// since `any Error` is not `Equatable`.
  public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.unknown, .unknown): true
    case (.loading(let a), .loading(let b)): a == b
    case (.loaded(let a), .loaded(let b)): a == b
    case (.error(let e, let a), .error(let f, let b)):
      type(of: e) == type(of: f) && String(describing: e) == String(describing: f) && a == b
    default: false
    }
  }
}
