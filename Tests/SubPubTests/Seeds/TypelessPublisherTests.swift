import Dispatch
import SubPub
import Testing

extension SeedTests {
  @Suite("Publisher: one untyped function for many publishers, which tests what is published for its type")
  struct TypelessPublisherTests {
    struct Product: Equatable, Sendable { let name: String }
    struct Coupon: Equatable, Sendable { let percent: Int }
    struct Location: Equatable, Sendable { let city: String }

    /// A screen with a function for each of three publishers.
    @MainActor final class ShopViewController: MainActorSubscriber {
      private(set) var lines: [String] = []

      func receive(_ publication: any AnyPublication) {
        if let publication = publication as? Publication<[Product]> {
          handleProducts(publication)
        } else if let publication = publication as? Publication<[Coupon]> {
          handleCoupons(publication)
        } else if let publication = publication as? Publication<Location> {
          handleLocation(publication)
        } else {
          lines.append("unhandled: \(publication.valueType)")
        }
      }

      private func handleProducts(_ publication: Publication<[Product]>) {
        switch publication.state {
        case .unknown: lines.append("no products yet")
        case .loading(let previous): lines.append("loading, \(previous?.count ?? 0) products before")
        case .loaded(let products): lines.append("\(products.count) products")
        case .error(let error, let previous): lines.append("\(error), \(previous?.count ?? 0) products before")
        }
      }

      private func handleCoupons(_ publication: Publication<[Coupon]>) {
        switch publication.state {
        case .loaded(let coupons): lines.append("\(coupons.map(\.percent)) percent off")
        case .unknown, .loading, .error: break
        }
      }

      private func handleLocation(_ publication: Publication<Location>) {
        switch publication.state {
        case .loaded(let location): lines.append(location.city)
        case .unknown, .loading, .error: break
        }
      }
    }

    @Test("one screen consumes several publishers, each with an exhaustive switch, and recognizes unknown ones")
    @MainActor func severalPublishers() async {
      let products = Publisher<[Product]>()
      let coupons = Publisher<[Coupon]>()
      let location = Publisher<Location>()
      let visitors = Publisher<Int>()
      let screen = ShopViewController()
      products.subscribe(screen)
      coupons.subscribe(screen)
      location.subscribe(screen)
      products.startLoading()
      products.updateData([Product(name: "apple")])
      products.startLoading()
      products.setError(EndpointError.offline)
      await products.drain()
      coupons.updateData([Coupon(percent: 10)])
      await coupons.drain()
      location.updateData(Location(city: "Rome"))
      await location.drain()
      visitors.subscribe(screen)
      await visitors.drain()
      #expect(
        screen.lines == [
          "no products yet", "loading, 0 products before", "1 products", "loading, 1 products before",
          "offline, 1 products before", "[10] percent off", "Rome", "unhandled: Int",
        ])
    }

    struct SongNames: Equatable, Sendable { let names: [String] }
    struct AlbumNames: Equatable, Sendable { let names: [String] }

    /// A subscriber off the main actor.
    final class Catalogue: Subscriber {
      let journal = Journal<String>()

      func receive(_ publication: any AnyPublication) {
        switch publication {
        case let publication as Publication<SongNames>: journal.add("songs \(publication.state.value?.names ?? [])")
        case let publication as Publication<AlbumNames>: journal.add("albums \(publication.state.value?.names ?? [])")
        case let publication as Publication<[String]>: journal.add("\(publication.source) \(publication.state)")
        default: journal.add("unhandled")
        }
      }
    }

    @Test("wrapper types tell apart two payloads of the same type")
    func wrapperTypes() {
      let songs = Publisher<SongNames>()
      let albums = Publisher<AlbumNames>()
      let catalogue = Catalogue()
      songs.subscribe(catalogue, on: .immediate)
      albums.subscribe(catalogue, on: .immediate)
      songs.updateData(SongNames(names: ["Yesterday"]))
      albums.updateData(AlbumNames(names: ["Help!"]))
      #expect(catalogue.journal.entries == ["songs []", "albums []", "songs [\"Yesterday\"]", "albums [\"Help!\"]"])
    }

    @Test("without wrapper types, the source tells them apart")
    func sources() {
      let songs = Publisher<[String]>(label: "songs")
      let albums = Publisher<[String]>(label: "albums")
      let catalogue = Catalogue()
      songs.subscribe(catalogue, on: .immediate)
      albums.subscribe(catalogue, on: .immediate)
      albums.updateData(["Help!"])
      songs.startLoading()
      #expect(
        catalogue.journal.entries == ["songs unknown", "albums unknown", "albums loaded([\"Help!\"])", "songs loading"])
    }
  }

  @Suite("A global error handler subscribes to all publishers and handles only errors")
  struct GlobalErrorHandlerTests {
    final class ErrorHandler: Subscriber {
      let alerts = Journal<String>()

      func receive(_ publication: any AnyPublication) {
        guard let error = publication.error else { return }
        alerts.add("\(publication.source) \(publication.version): \(error)")
      }
    }

    @Test("it sees the errors of every publisher, of any type, subscribed one by one or through a directory")
    func errorsOfAll() async {
      for usesDirectory in [false, true] {
        let handler = ErrorHandler()
        let alerts = DispatchQueue(label: "alerts")
        let directory = PublisherDirectory()
        let products = directory.publisher(of: [DataModel].self)
        let visitors = Publisher<Int>(label: "visitors")
        if usesDirectory {
          directory.subscribeToAll(handler, on: .queue(alerts))
          directory.register(visitors)
        } else {
          products.subscribe(handler, on: .queue(alerts))
          visitors.subscribe(handler, on: .queue(alerts))
        }
        products.startLoading()
        products.setError(EndpointError.offline)
        await products.drain()
        visitors.updateData(1)
        visitors.setError(EndpointError.denied)
        await visitors.drain()
        products.updateData([])
        await products.drain()
        #expect(handler.alerts.entries == ["Array<DataModel> 2: offline", "visitors 2: denied"])
      }
    }

    @Test("if it subscribes late, it sees the current error")
    func standingError() {
      let visitors = Publisher<Int>(label: "visitors")
      visitors.setError(EndpointError.offline)
      let handler = ErrorHandler()
      visitors.subscribe(handler, on: .immediate)
      #expect(handler.alerts.entries == ["visitors 1: offline"])
    }

    @Test("previous data is available to a subscriber that doesn't know its type")
    func previousData() {
      final class Keeper: Subscriber {
        let values = Journal<String>()
        func receive(_ publication: any AnyPublication) {
          guard publication.phase == .error else { return }
          values.add("\(publication.valueType): \(publication.anyValue.map { "\($0)" } ?? "nothing")")
        }
      }
      let visitors = Publisher<Int>()
      let keeper = Keeper()
      visitors.subscribe(keeper, on: .immediate)
      visitors.setError(EndpointError.offline)
      visitors.updateData(7)
      visitors.setError(EndpointError.offline)
      #expect(keeper.values.entries == ["Int: nothing", "Int: 7"])
    }
  }
}
