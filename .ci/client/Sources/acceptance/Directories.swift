import SubPub

// All publishers of a program, found by type, with one subscriber for all of them and one call for all logouts.

private nonisolated final class ErrorLog: Subscriber {
  let lines = Journal<String>()

  func receive(_ publication: any AnyPublication) {
    Here.expectQueue("errors")
    if let error = publication.error { lines.add("\(publication.source): \(error)") }
  }
}

@MainActor private final class StatusBar: MainActorSubscriber {
  private(set) var phases: [LoadPhase] = []

  func receive(_ publication: any AnyPublication) {
    Here.expectMainActor()
    phases.append(publication.phase)
  }
}

private nonisolated final class Account: Manager {
  let publisher = Publisher<String>(label: "account")
  let logouts = Journal<String>()

  func refreshIfNeeded() {}

  func logout() {
    logouts.add("account")
    publisher.reset()
  }
}

@MainActor func directories() async {
  let directory = PublisherDirectory()
  let numbers = directory.publisher(of: Int.self)
  let inferred: Publisher<Int> = directory.publisher()
  expect(inferred === numbers, "a type has one publisher")

  let errors = ErrorLog()
  let subscription = directory.subscribeToAll(errors, on: .queue(Here.makeQueue("errors")), buffering: .unbounded)
  let bar = StatusBar()
  directory.subscribeToAll(bar)
  let account = Account()
  directory.register(account)
  let mine = Publisher<Bool>(label: "mine")
  directory.register(mine)
  expectEqual(directory.description, "PublisherDirectory(publishers: 3, subscribers: 2)", "the directory")

  numbers.setError(Failure.offline)
  account.publisher.updateData("me")
  mine.setError(Failure.offline)
  await numbers.drain()
  await account.publisher.drain()
  await mine.drain()
  expectEqual(Set(errors.lines.entries), ["Int: offline", "mine: offline"], "errors of all publishers")
  expectEqual(bar.phases.count, 6, "the current state of each, and one more")

  directory.logoutAll()
  expectEqual(account.logouts.entries, ["account"], "a manager's own logout")
  expectEqual(account.publisher.state, .unknown, "reset by it")
  expectEqual(mine.phase, .error, "a publisher without a manager stays as it is")

  expectEqual(Set(subscription.subscriptions.map(\.source)).count, 3, "one subscription for each publisher")
  expect(subscription.isActive, "active")
  expect(subscription.description.hasPrefix("ErrorLog"), "a description: \(subscription)")
  await subscription.cancelAndWait()
  expectEqual(subscription.cancel(), .alreadyCancelled, "cancelled")
  expect(Set([subscription]).contains(subscription), "Hashable")
  mine.setError(Failure.offline)
  directory.publisher(of: String.self).setError(Failure.offline)
  await mine.drain()
  expectEqual(errors.lines.entries.count, 2, "cancelled everywhere")
  passed("PublisherDirectory")
}

extension Publisher {
  fileprivate nonisolated var phase: LoadPhase { state.phase }
}
