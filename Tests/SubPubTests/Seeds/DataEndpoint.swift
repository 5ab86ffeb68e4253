import SubPub

extension SeedTests {
  /// Stands for a remote service: keeps what asked until the test answers.
  final class DataEndpoint: Sendable {
    typealias Response = @Sendable (Result<[DataModel], any Error>) -> Void

    private let waiting = Locked<[Response]>([])

    func getShipment(_ response: @escaping Response) { waiting.withLock { $0.append(response) } }

    /// How many requests have no answer yet.
    var requests: Int { waiting.withLock { $0.count } }

    /// Answers every request.
    func answer(_ result: Result<[DataModel], any Error>) {
      let responses = waiting.withLock { waiting in
        defer { waiting = [] }
        return waiting
      }
      for response in responses { response(result) }
    }
  }
}
