import SubPub
import Testing

extension SeedTests {
  @Suite("ExplicitPublisher for screens: protocols of the main actor")
  struct MainActorExplicitPublisherTests {
    @MainActor protocol ProductsSubscriber: AnyObject {
      func productsChanged(_ state: LoadState<[DataModel]>)
    }

    @MainActor protocol LocationSubscriber: AnyObject {
      func locationChanged(_ state: LoadState<String>)
    }

    final class ShopManager: Sendable {
      let products = MainActorExplicitPublisher<[DataModel], any ProductsSubscriber> { $0.productsChanged($1) }
      let location = MainActorExplicitPublisher<String, any LocationSubscriber> { $0.locationChanged($1) }
    }

    /// Changes its own state without locks or hops.
    @MainActor final class ShopViewController: ProductsSubscriber, LocationSubscriber {
      private let shop: ShopManager
      private(set) var rows: [String] = []
      private(set) var title = ""

      init(_ shop: ShopManager) { self.shop = shop }

      func viewDidLoad() {
        shop.products.subscribe(self)
        shop.location.subscribe(self, buffering: .latest)
      }

      func viewDidDisappear() { shop.location.unsubscribe(self) }

      func productsChanged(_ state: LoadState<[DataModel]>) {
        switch state {
        case .unknown: rows = []
        case .loading: break
        case .loaded(let products): rows = products.map(\.name)
        case .error(let error, _): rows = ["\(error)"]
        }
      }

      func locationChanged(_ state: LoadState<String>) { title = state.value ?? "nowhere" }
    }

    @Test("a screen subscribes to many publishers, and is called on the main actor")
    @MainActor func manyToMany() async {
      let shop = ShopManager()
      let screen = ShopViewController(shop)
      screen.viewDidLoad()
      await Task.detached {
        shop.products.publisher.updateData([DataModel("apple")])
        shop.location.publisher.updateData("Rome")
      }.value
      await shop.products.publisher.drain()
      await shop.location.publisher.drain()
      #expect(screen.rows == ["apple"])
      #expect(screen.title == "Rome")

      screen.viewDidDisappear()
      shop.location.publisher.updateData("Oslo")
      shop.products.publisher.setError(EndpointError.offline)
      await shop.products.publisher.drain()
      await shop.location.publisher.drain()
      #expect(screen.title == "Rome")
      #expect(screen.rows == ["offline"])
    }

    @Test("a screen that is dismissed is gone, and what waited for it with it")
    @MainActor func weak() async {
      let shop = ShopManager()
      weak var probe: ShopViewController?
      do {
        let screen = ShopViewController(shop)
        probe = screen
        screen.viewDidLoad()
        withExtendedLifetime(screen) {}
      }
      #expect(probe == nil)
      #expect(shop.products.publisher.subscriberCount == 0)
      shop.products.publisher.updateData([])
      await shop.products.publisher.drain()
      #expect(shop.products.publisher.subscriberCount == 0)
    }
  }
}
