import Dispatch
import SubPub
import Testing

extension ClientTests {
  @Suite("All publishers of a program: one handler of their errors, and one call for all logouts")
  struct DirectoryTests {
    nonisolated final class ErrorHandler: Subscriber {
      let queue = DispatchQueue(label: "alerts")
      let alerts = Journal<String>()

      func receive(_ publication: any AnyPublication) {
        Here.assertQueue(queue)
        guard let error = publication.error else { return }
        let previous = publication.anyValue.map { "\($0)" } ?? "nothing"
        alerts.add("\(publication.source) \(publication.version): \(error), before: \(previous)")
      }
    }

    let directory = PublisherDirectory()
    let handler = ErrorHandler()

    @Test("a handler sees the errors of every publisher, and the previous data, until one cancel ends it everywhere")
    func errorsOfAll() async {
      let products = directory.publisher(of: [Product].self)
      let visitors = Publisher<Int>(label: "visitors")
      products.setError(Failure.offline)
      let subscription: DirectorySubscription = directory.subscribeToAll(
        handler, on: .queue(handler.queue), buffering: .unbounded)
      directory.register(visitors)
      await products.drain()
      visitors.updateData(1)
      visitors.setError(Failure.denied)
      await directory.drain()
      #expect(Set(subscription.subscriptions.map(\.source)) == [products.id, visitors.id])
      #expect(subscription.isActive)
      #expect(subscription.description == "ErrorHandler on queue(alerts) of all publishers, 2 subscriptions")
      await subscription.cancelAndWait()
      #expect(subscription.description == "ErrorHandler on queue(alerts) of all publishers, ended")
      #expect(!subscription.isActive)
      #expect(subscription.cancel() == .alreadyCancelled)
      #expect(Set([subscription, subscription]).count == 1)
      products.setError(Failure.denied)
      await directory.drain()
      #expect(
        handler.alerts.entries == ["Array<Product> 1: offline, before: nothing", "visitors 2: denied, before: 1"])
    }

    @Test("a publisher is found by type and name, and a screen hears of all of them")
    @MainActor func finding() async {
      let numbers = directory.publisher(of: Int.self)
      let inferred: Publisher<Int> = directory.publisher()
      #expect(inferred === numbers)
      #expect(directory.publisher(of: Int.self, named: "other") !== numbers)
      let bar = TypedSubscriberTests.TwoFacedScreen()
      directory.subscribeToAll(bar)
      let mine = Publisher<Bool>(label: "mine")
      directory.register(mine, named: "mine")
      #expect(directory.description == "PublisherDirectory(publishers: 3, subscribers: 1)")
      numbers.setError(Failure.offline)
      mine.setError(Failure.offline)
      await directory.drain()
      #expect(bar.faces.filter { $0 == "type-less 1" }.count == 2)
    }

    /// A manager of the program's own, with the defaults of the protocol.
    nonisolated final class Account: Manager {
      let publisher = Publisher<String>(label: "account")
      func refreshIfNeeded() { publisher.updateData("me") }
    }

    @Test("one call logs out all managers, and another refreshes them")
    func managers() async {
      let (account, other) = (Account(), directory.publisher(of: Int.self))
      let pages = ManagerFamily<Int, LoadingManager<Int>> { page in LoadingManager { page } }
      directory.register(account)
      directory.register(pages)
      other.updateData(1)
      let third = pages[3]
      await third.refresh()
      directory.refreshAllIfNeeded()
      #expect(await account.refresh() == .loaded("me"))
      directory.logoutAll()
      #expect((account.publisher.state, third.publisher.state) == (.unknown, .unknown))
      #expect(other.state == .loaded(1), "a publisher without a manager stays as it is")
      directory.logoutAll(resettingOthers: true)
      #expect(other.state == .unknown)
      await directory.waitForCaches()
      let manager: any Manager<String> = account
      #expect(await manager.refresh() == .loaded("me"))
      manager.logout()
      await manager.waitForCache()
      #expect(manager.publisher.state == .unknown)
    }
  }
}
