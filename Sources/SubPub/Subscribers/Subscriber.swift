/// An object that receives the states of any number of publishers through one function.
///
/// Test for the types that you handle with `as? Publication<…>`, and switch over their states:
///
/// ```swift
/// final class Log: Subscriber {
///   func receive(_ publication: any AnyPublication) {
///     if let news = publication as? Publication<[String]> { print(news.state) }
///   }
/// }
/// ```
public protocol Subscriber: AnyObject, Sendable {
  /// Called for every delivery, on the context of the subscription.
  ///
  /// Deliveries of one subscription never overlap (2.02).
  ///
  /// - Parameter publication: A state with its version and publisher.
  func receive(_ publication: any AnyPublication)
}

/// A main-actor object that receives the states of any number of publishers through one function.
///
/// Deliveries run on the main actor. The library never releases such an object on another thread (2.05).
@MainActor
public protocol MainActorSubscriber: AnyObject, Sendable {
  /// Called for every delivery, on the main actor.
  ///
  /// - Parameter publication: A state with its version and publisher.
  func receive(_ publication: any AnyPublication)
}

/// An object that receives the states of publishers of one type.
///
/// Implement one of the two functions: `receive(_ state:)` if you only need the state, or `receive(_ publication:)` if
/// you also need its version and source. If you implement both, the library calls the one that takes a publication.
public protocol TypedSubscriber<Value>: AnyObject, Sendable {
  /// The type of the publishers' values.
  associatedtype Value: Sendable

  /// Called for every delivery, on the subscription's context, unless you implement `receive(_ publication:)`.
  ///
  /// Deliveries of one subscription never overlap (2.02).
  ///
  /// - Parameter state: The state.
  func receive(_ state: LoadState<Value>)

  /// Called for every delivery, on the context of the subscription.
  ///
  /// Deliveries of one subscription never overlap (2.02). The default implementation passes the state to `receive(_
  /// state:)`.
  ///
  /// - Parameter publication: The state with its version and publisher.
  func receive(_ publication: Publication<Value>)
}

extension TypedSubscriber {
  /// Stops the program: implement one of the two functions.
  public func receive(_ state: LoadState<Value>) { stopForMissingFunction(Self.self) }

  /// Passes the state to `receive(_ state:)`.
  @inlinable public func receive(_ publication: Publication<Value>) { receive(publication.state) }
}

/// A main-actor object that receives the states of publishers of one type.
///
/// Deliveries run on the main actor. The library never releases such an object on another thread (2.05). Implement one
/// of the two functions, as for ``TypedSubscriber``.
@MainActor
public protocol MainActorTypedSubscriber<Value>: AnyObject, Sendable {
  /// The type of the publishers' values.
  associatedtype Value: Sendable

  /// Called for every delivery, on the main actor, unless you implement `receive(_ publication:)`.
  ///
  /// - Parameter state: The state.
  func receive(_ state: LoadState<Value>)

  /// Called for every delivery, on the main actor.
  ///
  /// The default implementation passes the state to `receive(_ state:)`.
  ///
  /// - Parameter publication: The state with its version and publisher.
  func receive(_ publication: Publication<Value>)
}

extension MainActorTypedSubscriber {
  /// Stops the program: implement one of the two functions.
  public func receive(_ state: LoadState<Value>) { stopForMissingFunction(Self.self) }

  /// Passes the state to `receive(_ state:)`.
  @inlinable public func receive(_ publication: Publication<Value>) { receive(publication.state) }
}

private func stopForMissingFunction(_ type: Any.Type) -> Never {
  stopForMisuse("\(type) implements no receive(_:) that takes a LoadState: implement it, or don't call it")
}
