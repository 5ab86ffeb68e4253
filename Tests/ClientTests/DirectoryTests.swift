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
        alerts.add("\(publication.source) \(publication.version): \(error)")
      }
    }

    @MainActor final class StatusBar: MainActorSubscriber {
      private(set) var phases: [LoadPhase] = []

      func receive(_ publication: any AnyPublication) {
        Here.assertMainActor()
        phases.append(publication.phase)
      }
    }

    /// A manager of the program's own, with the defaults of the protocol.
    nonisolated final class Account: Manager {
      let publisher = Publisher<String>(label: "account")
      let logouts = Journal<String>()

      func refreshIfNeeded() { publisher.updateData("me") }

      func logout() {
        logouts.add("account")
        publisher.reset()
      }
    }

    let directory = PublisherDirectory()
    let handler = ErrorHandler()

    @Test(
      "a handler sees the errors of every publisher, of any type, subscribed one by one or through a directory",
      arguments: [false, true])
    func errorsOfAll(usesDirectory: Bool) async {
      let products = directory.publisher(of: [Product].self)
      let visitors = Publisher<Int>(label: "visitors")
      if usesDirectory {
        directory.subscribeToAll(handler, on: .queue(handler.queue), buffering: .unbounded)
        directory.register(visitors)
      } else {
        products.subscribe(handler, on: .queue(handler.queue))
        visitors.subscribe(handler, on: .queue(handler.queue))
      }
      products.startLoading()
      products.setError(Failure.offline)
      await products.drain()
      visitors.updateData(1)
      visitors.setError(Failure.denied)
      await visitors.drain()
      products.updateData([])
      await products.drain()
      #expect(handler.alerts.entries == ["Array<Product> 2: offline", "visitors 2: denied"])
    }

    @Test("a handler that subscribes late sees the current error")
    func standingError() async {
      let visitors = Publisher<Int>(label: "visitors")
      visitors.setError(Failure.offline)
      visitors.subscribe(handler, on: .queue(handler.queue))
      await visitors.drain()
      #expect(handler.alerts.entries == ["visitors 1: offline"])
    }

    nonisolated final class Keeper: Subscriber {
      let values = Journal<String>()
      func receive(_ publication: any AnyPublication) {
        guard publication.phase == .error else { return }
        values.add("\(publication.valueType): \(publication.anyValue.map { "\($0)" } ?? "nothing")")
      }
    }

    @Test("previous data is available to a subscriber that doesn't know its type")
    func previousData() {
      let (visitors, keeper) = (Publisher<Int>(), Keeper())
      visitors.subscribe(keeper, on: .immediate)
      visitors.setError(Failure.offline)
      visitors.updateData(7)
      visitors.setError(Failure.offline)
      #expect(keeper.values.entries == ["Int: nothing", "Int: 7"])
    }

    @Test("a publisher is found by type and name, and a screen hears of all of them")
    @MainActor func finding() async {
      let numbers = directory.publisher(of: Int.self)
      let inferred: Publisher<Int> = directory.publisher()
      #expect(inferred === numbers)
      #expect(directory.publisher(of: Int.self, named: "other") !== numbers)

      let bar = StatusBar()
      directory.subscribeToAll(bar)
      directory.register(Publisher<Bool>(label: "released at once"))
      let mine = Publisher<Bool>(label: "mine")
      directory.register(mine, named: "mine")
      #expect(directory.description == "PublisherDirectory(publishers: 3, subscribers: 1)")
      numbers.setError(Failure.offline)
      mine.setError(Failure.offline)
      await directory.drain()
      #expect(bar.phases.filter { $0 == .error }.count == 2)
    }

    @Test("a subscription to all publishers is one for each, and is cancelled everywhere")
    func subscribingToAll() async {
      let (numbers, texts) = (directory.publisher(of: Int.self), directory.publisher(of: String.self))
      let subscription: DirectorySubscription = directory.subscribeToAll(handler, on: .queue(handler.queue))
      #expect(Set(subscription.subscriptions.map(\.source)) == [numbers.id, texts.id])
      #expect(subscription.isActive)
      #expect(subscription.description.hasPrefix("ErrorHandler"))
      await subscription.cancelAndWait()
      #expect(!subscription.isActive)
      #expect(subscription.cancel() == .alreadyCancelled)
      #expect(Set([subscription, subscription]).count == 1)
      numbers.setError(Failure.offline)
      directory.publisher(of: Bool.self).setError(Failure.offline)
      await directory.drain()
      #expect(handler.alerts.entries == [])
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
      account.start(with: ())
      directory.logoutAll()
      #expect(account.logouts.entries == ["account"])
      #expect(account.publisher.state == .unknown)
      #expect(third.publisher.state == .unknown)
      #expect(other.state == .loaded(1), "a publisher without a manager stays as it is")
      directory.logoutAll(resettingOthers: true)
      #expect(other.state == .unknown)
      await directory.waitForCaches()
    }

    /// A manager that relies on all defaults.
    nonisolated struct Plain: Manager {
      let publisher = Publisher<Int>()
      func refreshIfNeeded() { publisher.updateData(1) }
    }

    @Test("a manager needs a publisher and a function; the rest has defaults")
    func defaults() async {
      let manager: any Manager<Int> = Plain()
      #expect(await manager.refresh() == .loaded(1))
      manager.logout()
      #expect(manager.publisher.state == .unknown)
      await manager.waitForCache()
    }
  }
}
