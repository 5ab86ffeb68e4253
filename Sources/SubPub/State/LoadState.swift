/// The state of a load, as a publisher holds it and its subscribers receive it.
///
/// Switch over it exhaustively, so that ignoring a case is a decision rather than an oversight. Previous data survives
/// while a load is active and after a load fails (5.01).
@frozen public enum LoadState<Value: Sendable>: Sendable {
  /// Nothing has been requested yet, or everything was cleared.
  case unknown
  /// Data has been requested, even if the load still waits for its place, as with a family's `maxConcurrentLoads`.
  /// `previous` is the data from before, if there was any.
  case loading(previous: Value?)
  /// Data is available.
  case loaded(Value)
  /// The last load failed. `previous` is the data from before, if there was any.
  case error(any Error, previous: Value?)
}

/// A ``LoadState`` without its data.
@frozen public enum LoadPhase: String, Hashable, Codable, Sendable {
  /// Nothing has been requested yet, or everything was cleared.
  case unknown
  /// Data has been requested and hasn't arrived yet.
  case loading
  /// Data is available.
  case loaded
  /// The last load failed.
  case error
}

/// The error that ``LoadState/get()`` throws in the states `unknown` and `loading`.
public struct NotLoaded: Error, Hashable, Sendable, CustomStringConvertible {
  /// The phase of the state.
  public let phase: LoadPhase

  /// Creates the error.
  ///
  /// - Parameter phase: The phase of the state.
  public init(phase: LoadPhase) { self.phase = phase }

  /// The phase, in words.
  public var description: String { "no value is loaded: the state is \(phase)" }
}

extension LoadState {
  /// The loaded value, or the previous value while loading and after an error.
  @inlinable public var value: Value? {
    switch self {
    case .unknown: nil
    case .loading(let previous): previous
    case .loaded(let value): value
    case .error(_, let previous): previous
    }
  }

  /// The error of a failed load; nil in every other state.
  @inlinable public var error: (any Error)? {
    switch self {
    case .error(let error, _): error
    case .unknown, .loading, .loaded: nil
    }
  }

  /// Returns the loaded value.
  ///
  /// Ignores previous data; use ``value`` for that.
  ///
  /// - Throws: The error of a failed load; ``NotLoaded`` in the states `unknown` and `loading`.
  @inlinable public func get() throws -> Value {
    switch self {
    case .loaded(let value): return value
    case .error(let error, _): throw error
    case .unknown, .loading: throw NotLoaded(phase: phase)
    }
  }

  /// The state without its data.
  @inlinable public var phase: LoadPhase {
    switch self {
    case .unknown: .unknown
    case .loading: .loading
    case .loaded: .loaded
    case .error: .error
    }
  }

  /// Returns the same state with its value, or its previous value, transformed.
  ///
  /// - Parameter transform: Called at most once, on the calling thread, before `map` returns.
  /// - Returns: A state in the same phase, with the same error.
  /// - Throws: Rethrows the error that `transform` throws.
  @inlinable public func map<T: Sendable>(_ transform: (Value) throws -> T) rethrows -> LoadState<T> {
    switch self {
    case .unknown: .unknown
    case .loading(let previous): .loading(previous: try previous.map(transform))
    case .loaded(let value): .loaded(try transform(value))
    case .error(let error, let previous): .error(error, previous: try previous.map(transform))
    }
  }
}

extension LoadState: Equatable where Value: Equatable {
  /// Returns whether both states are the same case with equal values.
  ///
  /// Two errors are equal if they have the same type and the same description, because `any Error` isn't `Equatable`.
  public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.unknown, .unknown): true
    case (.loading(let a), .loading(let b)): a == b
    case (.loaded(let a), .loaded(let b)): a == b
    case (.error(let e, let a), .error(let f, let b)):
      type(of: e) == type(of: f) && String(describing: e) == String(describing: f) && a == b
    default: false
    }
  }
}

extension LoadState: CustomStringConvertible {
  /// The phase and its data on one line, for logs: `loaded([1, 2])`.
  public var description: String { words.onOneLine }

  private var words: String {
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

/// The requirements of a load state: ``LoadState`` is the only type that conforms.
public protocol LoadStateProtocol<Value>: Sendable {
  /// The type of the data.
  associatedtype Value: Sendable
  /// The phase of the state.
  var phase: LoadPhase { get }
  /// The data, or the previous data.
  var value: Value? { get }
  /// The error of a failed load; nil in every other state.
  var error: (any Error)? { get }
}

extension LoadState: LoadStateProtocol {}
