import SubPub

/// A manager that is no object.
struct ManagerValue<Value: Sendable>: Manager {
  let publisher: Publisher<Value>
  let journal: Journal<String>

  func refreshIfNeeded() {}

  func logout() { journal.add("value \(publisher.id)") }
}
