/// An actor on Swift's pool.
actor PlainHost {
  func run(_ body: @Sendable () -> Void) { body() }
}
