import SubPub

/// A state without its objects: what was published, told by the payloads' numbers.
enum Content: Hashable {
  case unknown
  case loading(Int?)
  case loaded(Int)
  case failed(Int, Int?)

  init(_ state: LoadState<Payload>) {
    self =
      switch state {
      case .unknown: .unknown
      case .loading(let previous): .loading(previous?.number)
      case .loaded(let payload): .loaded(payload.number)
      case .error(let error, let previous): .failed((error as? Failure)?.number ?? -1, previous?.number)
      }
  }

  /// The data in it, loaded or previous.
  var data: Int? {
    switch self {
    case .unknown: nil
    case .loading(let previous), .failed(_, let previous): previous
    case .loaded(let number): number
    }
  }

  /// For the trace.
  var code: Int {
    switch self {
    case .unknown: 0
    case .loading(let previous): 1_000 + (previous ?? 0)
    case .loaded(let number): 2_000 + number
    case .failed(let number, let previous): 3_000 + 100 * number + (previous ?? 0)
    }
  }
}
