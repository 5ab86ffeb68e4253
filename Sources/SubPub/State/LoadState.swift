/// The state of a load, as a publisher holds it and as every subscriber receives it.
///
/// Consume it with an exhaustive `switch`, so that a case that is not handled is a choice and not an oversight.
/// Previous data stays at hand while a load is under way and after a failed one (rule 5.01).
@frozen public enum LoadState<Value: Sendable>: Sendable {
  /// Nothing was asked for yet.
  case unknown
  /// Data was asked for; `previous` is what was loaded before, if anything was.
  case loading(previous: Value?)
  /// Data is there.
  case loaded(Value)
  /// The last attempt failed; `previous` is what was loaded before, if anything was.
  case error(any Error, previous: Value?)
}

extension LoadState {
  /// The loaded value, or the previous one while loading and after an error.
  @inlinable public var value: Value? {
    switch self {
    case .unknown: nil
    case .loading(let previous): previous
    case .loaded(let value): value
    case .error(_, let previous): previous
    }
  }

  /// The error of a failed load.
  @inlinable public var error: (any Error)? {
    switch self {
    case .error(let error, _): error
    case .unknown, .loading, .loaded: nil
    }
  }

  /// Which of the four states this is.
  @inlinable public var phase: LoadPhase {
    switch self {
    case .unknown: .unknown
    case .loading: .loading
    case .loaded: .loaded
    case .error: .error
    }
  }

  /// The same state with its value, or previous value, transformed.
  ///
  /// Runs `transform` at most once, on the calling thread; what it throws is passed on.
  @inlinable public func map<T: Sendable>(_ transform: (Value) throws -> T) rethrows -> LoadState<T> {
    switch self {
    case .unknown: .unknown
    case .loading(let previous): .loading(previous: try previous.map(transform))
    case .loaded(let value): .loaded(try transform(value))
    case .error(let error, let previous): .error(error, previous: try previous.map(transform))
    }
  }
}

extension LoadState: CustomStringConvertible {
  /// The phase with its data, for logs: `loaded([1, 2])`.
  public var description: String {
    switch self {
    case .unknown: "unknown"
    case .loading(nil): "loading"
    case .loading(let previous?): "loading(previous: \(previous))"
    case .loaded(let value): "loaded(\(value))"
    case .error(let error, nil): "error(\(error))"
    case .error(let error, let previous?): "error(\(error), previous: \(previous))"
    }
  }
}
