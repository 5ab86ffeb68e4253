import SubPub

extension SeedTests {
  /// Owns a publisher and drives it. Written by hand, as the document has it.
  final class DataManager: Sendable {
    let publisher: Publisher<[DataModel]>
    private let endpoint: DataEndpoint

    init(_ endpoint: DataEndpoint, staleAfter: Duration? = nil, clock: any Clock<Duration> = ContinuousClock()) {
      self.endpoint = endpoint
      publisher = Publisher(label: "shipment", staleAfter: staleAfter, clock: clock)
    }

    func getData() {
      publisher.startLoading()
      endpoint.getShipment { [publisher] response in
        switch response {
        case .success(let newData): publisher.updateData(newData)
        case .failure(let error): publisher.setError(error)
        }
      }
    }

    func refreshIfNeeded() {
      switch publisher.state {
      case .error:
        // refresh if in error state
        getData()
      case .loaded:
        if publisher.isStale { getData() }
      case .unknown, .loading:
        break
      }
    }

    func logout() { publisher.reset() }
  }
}
