import Dispatch
import SubPub
import Testing

extension SeedTests {
  @Suite("A global error handler subscribes to all publishers and handles only errors")
  struct GlobalErrorHandlerTests {
    /// Needs no type: phase, error, source and version are in every publication.
    final class ErrorHandler: Subscriber {
      let alerts = Journal<String>()

      func receive(_ publication: any AnyPublication) {
        guard let error = publication.error else { return }
        alerts.add("\(publication.source) \(publication.version): \(error)")
      }
    }

    @Test("it hears of the errors of every publisher, whatever they publish, and of nothing else")
    func errorsOfAll() async {
      let handler = ErrorHandler()
      let alerts = DispatchQueue(label: "alerts")
      let products = Publisher<[DataModel]>(label: "products")
      let visitors = Publisher<Int>(label: "visitors")
      products.subscribe(handler, on: .queue(alerts))
      visitors.subscribe(handler, on: .queue(alerts))

      products.startLoading()
      products.setError(EndpointError.offline)
      await products.drain()
      visitors.updateData(1)
      visitors.setError(EndpointError.denied)
      await visitors.drain()
      products.updateData([])
      await products.drain()
      #expect(handler.alerts.entries == ["products 2: offline", "visitors 2: denied"])
    }

    @Test("a directory subscribes it to every publisher at once, those to come included")
    func errorsOfDirectory() async {
      let handler = ErrorHandler()
      let alerts = DispatchQueue(label: "alerts")
      let directory = PublisherDirectory()
      let products = directory.publisher(of: [DataModel].self)
      directory.subscribeToAll(handler, on: .queue(alerts))
      let visitors = Publisher<Int>(label: "visitors")
      directory.register(visitors)

      products.startLoading()
      products.setError(EndpointError.offline)
      await products.drain()
      visitors.updateData(1)
      visitors.setError(EndpointError.denied)
      await visitors.drain()
      #expect(handler.alerts.entries == ["Array<DataModel> 2: offline", "visitors 2: denied"])
    }

    @Test("one that comes late hears of an error that still stands")
    func standingError() {
      let visitors = Publisher<Int>(label: "visitors")
      visitors.setError(EndpointError.offline)
      let handler = ErrorHandler()
      visitors.subscribe(handler, on: .immediate)
      #expect(handler.alerts.entries == ["visitors 1: offline"])
    }

    @Test("the data that was there before an error can be had without its type")
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
