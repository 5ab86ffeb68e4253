#if !Redis
  /// Needs the trait `Redis`.
  @available(*, unavailable, message: "Add the trait to the dependency: .package(url: …, traits: [\"Redis\"])")
  public struct RedisEndpoint {}

  /// Needs the trait `Redis`.
  @available(*, unavailable, message: "Add the trait to the dependency: .package(url: …, traits: [\"Redis\"])")
  public struct RedisOutlet<Value> {}

  /// Needs the trait `Redis`.
  @available(*, unavailable, message: "Add the trait to the dependency: .package(url: …, traits: [\"Redis\"])")
  public struct RedisMirror<Value> {}
#endif
