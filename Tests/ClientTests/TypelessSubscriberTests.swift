import Dispatch
import SubPub
import Testing

extension ClientTests {
  @Suite("Subscriber protocols without a type: one function for many publishers, which tests what is published")
  struct TypelessSubscriberTests {
    nonisolated struct Coupon: Equatable, Sendable { let percent: Int }
    nonisolated struct Location: Equatable, Sendable { let city: String }

    /// A screen with a function for each of three publishers.
    @MainActor final class ShopViewController: MainActorSubscriber {
      private(set) var lines: [String] = []

      func receive(_ publication: any AnyPublication) {
        Here.assertMainActor()
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
        if case .loaded(let coupons) = publication.state { lines.append("\(coupons.map(\.percent)) percent off") }
      }

      private func handleLocation(_ publication: Publication<Location>) {
        if case .loaded(let location) = publication.state { lines.append(location.city) }
      }
    }

    @Test("one screen consumes several publishers, each with an exhaustive switch, and recognizes unknown ones")
    @MainActor func severalPublishers() async {
      let (products, coupons) = (Publisher<[Product]>(), Publisher<[Coupon]>())
      let (location, visitors) = (Publisher<Location>(), Publisher<Int>())
      let screen = ShopViewController()
      products.subscribe(screen)
      coupons.subscribe(screen, buffering: .unbounded, ifDuplicate: .replace)
      location.subscribe(screen)
      products.startLoading()
      products.updateData([Product("apple")])
      products.startLoading()
      products.setError(Failure.offline)
      #expect(screen.lines == [], "never before the publish returns")
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

    nonisolated struct SongNames: Equatable, Sendable { let names: [String] }
    nonisolated struct AlbumNames: Equatable, Sendable { let names: [String] }

    /// A subscriber off the main actor.
    nonisolated final class Catalogue: Subscriber {
      let queue = DispatchQueue(label: "catalogue")
      let journal = Journal<String>()

      func receive(_ publication: any AnyPublication) {
        Here.assertQueue(queue)
        switch publication {
        case let publication as Publication<SongNames>: journal.add("songs \(publication.state.value?.names ?? [])")
        case let publication as Publication<AlbumNames>: journal.add("albums \(publication.state.value?.names ?? [])")
        case let publication as Publication<[String]>: journal.add("\(publication.source) \(publication.state)")
        default: journal.add("unhandled")
        }
      }
    }

    @Test("wrapper types tell apart two payloads of the same type")
    func wrapperTypes() async {
      let (songs, albums, catalogue) = (Publisher<SongNames>(), Publisher<AlbumNames>(), Catalogue())
      songs.subscribe(catalogue, on: .queue(catalogue.queue))
      await songs.drain()
      albums.subscribe(catalogue, on: .queue(catalogue.queue), buffering: .unbounded, ifDuplicate: .ignore)
      await albums.drain()
      songs.updateData(SongNames(names: ["Yesterday"]))
      await songs.drain()
      albums.updateData(AlbumNames(names: ["Help!"]))
      await albums.drain()
      #expect(catalogue.journal.entries == ["songs []", "albums []", "songs [\"Yesterday\"]", "albums [\"Help!\"]"])
    }

    @Test("without wrapper types, the source tells them apart")
    func sources() async {
      let songs = Publisher<[String]>(label: "songs")
      let albums = Publisher<[String]>(label: "albums")
      let catalogue = Catalogue()
      songs.subscribe(catalogue, on: .queue(catalogue.queue))
      await songs.drain()
      albums.subscribe(catalogue, on: .queue(catalogue.queue))
      albums.updateData(["Help!"])
      await albums.drain()
      songs.startLoading()
      await songs.drain()
      #expect(
        catalogue.journal.entries == ["songs unknown", "albums unknown", "albums loaded([\"Help!\"])", "songs loading"])
    }
  }
}
