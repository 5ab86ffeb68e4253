extension Publisher {
  /// A state that a load is going to publish.
  func publication(_ state: LoadState<Value>, freshSince: Duration? = nil) -> Publication<Value> {
    Publication(state, source: id, freshSince: freshSince)
  }

  /// Data that comes now, and is that old already.
  func publication(loaded value: Value, age: Duration = .zero) -> Publication<Value> {
    publication(.loaded(value), freshSince: freshness?.start(age: age))
  }
}
