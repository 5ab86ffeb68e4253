import SubPub

/// Notes its name when it is logged out, and then does what it is told.
final class CountingManager<Value: Sendable>: Manager {
  let publisher: Publisher<Value>
  private let journal: Journal<String>
  private let during: @Sendable () -> Void

  init(
    _ publisher: Publisher<Value>, in journal: Journal<String>, during: @escaping @Sendable () -> Void = {}
  ) {
    self.publisher = publisher
    self.journal = journal
    self.during = during
  }

  func refreshIfNeeded() {}

  func logout() {
    journal.add("\(publisher.id)")
    publisher.reset()
    during()
  }
}
