import SubPub
import Support

/// A state without its objects, with the numbers of its payloads.
enum Content: Hashable {
  case unknown
  case loading(Int?)
  case loaded(Int)
  case failed(Int, Int?)

  init(_ state: LoadState<Payload>) {
    self =
      switch state {
      case .unknown: .unknown
      case .loading(let previous): .loading(previous.map { Int($0.number) })
      case .loaded(let payload): .loaded(Int(payload.number))
      case .error(let error, let previous):
        .failed((error as? Failure).map { Int($0.payload.number) } ?? -1, previous.map { Int($0.number) })
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

/// An error with a payload, whose number identifies it.
struct Failure: Error {
  let payload: Payload
}
