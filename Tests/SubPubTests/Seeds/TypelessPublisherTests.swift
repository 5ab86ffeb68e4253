import Dispatch
import SubPub
import Testing

extension SeedTests {
  @Suite("Publisher: one type-less function for many publishers, tested for type")
  struct TypelessPublisherTests {
    struct Product: Equatable, Sendable { let name: String }
    struct Coupon: Equatable, Sendable { let percent: Int }
    struct Location: Equatable, Sendable { let city: String }

    /// Three publishers, a function for each, and every state is considered.
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

    @Test("one screen consumes several publishers, each with an exhaustive switch of its own")
    @MainActor func severalPublishers() async {
      let products = Publisher<[Product]>()
      let coupons = Publisher<[Coupon]>()
      let location = Publisher<Location>()
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
      #expect(
        screen.lines == [
          "no products yet", "loading, 0 products before", "1 products", "loading, 1 products before",
          "offline, 1 products before", "[10] percent off", "Rome",
        ])
    }

    @Test("a publication that nobody thought of can be told")
    @MainActor func unhandled() async {
      let visitors = Publisher<Int>()
      let screen = ShopViewController()
      visitors.subscribe(screen)
      await visitors.drain()
      #expect(screen.lines == ["unhandled: Int"])
    }

    struct SongNames: Equatable, Sendable { let names: [String] }
    struct AlbumNames: Equatable, Sendable { let names: [String] }

    /// Off the main actor.
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

    @Test("two payloads of one shape are kept apart by wrapping them in types of their own")
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

    @Test("or, without wrappers, by the publisher that they come from")
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
}
