#if !Redis
  public import SubPub

  // Without the trait, the names that a program begins with say how to get them.

  /// Needs the trait `Redis`.
  @available(*, unavailable, message: "Add the trait to the dependency: .package(url: …, traits: [\"Redis\"])")
  public struct RedisEndpoint: Sendable {
    /// Needs the trait `Redis`.
    public init(
      host: String = "", port: Int = 0, username: String? = nil, password: String? = nil, database: Int = 0,
      timeout: Duration = .zero
    ) {}

    /// Needs the trait `Redis`.
    public init(
      unixSocket: String, username: String? = nil, password: String? = nil, database: Int = 0,
      timeout: Duration = .zero
    ) {}

    /// Needs the trait `Redis`.
    public init(url: String) throws {}
  }

  /// Needs the trait `Redis`.
  @available(*, unavailable, message: "Add the trait to the dependency: .package(url: …, traits: [\"Redis\"])")
  public struct RedisOutlet<Value: Sendable>: Sendable {
    /// Needs the trait `Redis`.
    public init(_ publisher: some StatePublisher<Value>, key: String, endpoint: RedisEndpoint, maxLength: Int = 0) {}
  }

  /// Needs the trait `Redis`.
  @available(*, unavailable, message: "Add the trait to the dependency: .package(url: …, traits: [\"Redis\"])")
  public struct RedisMirror<Value: Sendable>: Sendable {
    /// Needs the trait `Redis`.
    public init(key: String, endpoint: RedisEndpoint, label: String? = nil, staleAfter: Duration? = nil) {}
  }
#endif
