/// A value from a cache, with how old it is.
public struct Cached<Value: Sendable>: Sendable {
  /// What was written.
  public let value: Value
  /// How long ago that was. Never negative.
  public let age: Duration

  /// A value that was written `age` ago. A clock that went backwards makes no value younger than new.
  public init(value: Value, age: Duration) {
    self.value = value
    self.age = max(age, .zero)
  }
}

extension Cached: Equatable where Value: Equatable {}
extension Cached: Hashable where Value: Hashable {}
