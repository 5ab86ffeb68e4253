/// An object that receives states from any number of publishers through one function without a type.
///
/// Test for the types that you handle with `as? Publication<…>`, and switch over their states:
///
/// ```swift
/// func receive(_ publication: any AnyPublication) {
///   if let news = publication as? Publication<[String]> { show(news.state) }
/// }
/// ```
public protocol Subscriber: AnyObject, Sendable {
  /// Called for every delivery, on the context of the subscription.
  ///
  /// Deliveries of one subscription never overlap (2.02).
  func receive(_ publication: any AnyPublication)
}

/// An object of the main actor that receives states from any number of publishers through one function without a type.
///
/// Deliveries run on the main actor. The library never releases such an object on another thread (2.05).
@MainActor
public protocol MainActorSubscriber: AnyObject, Sendable {
  /// Called for every delivery, on the main actor.
  func receive(_ publication: any AnyPublication)
}

/// An object that receives the states of publishers of one type.
///
/// Implement one of the two functions: `receive(_ state:)` if the state is all you need, `receive(_ publication:)` to see
/// its version and source as well. If you implement both, the library calls the one that takes a publication.
public protocol TypedSubscriber<Value>: AnyObject, Sendable {
  /// The type of the publishers' values.
  associatedtype Value: Sendable

  /// Called for every delivery, on the context of the subscription, unless `receive(_ publication:)` is implemented.
  ///
  /// Deliveries of one subscription never overlap (2.02).
  func receive(_ state: LoadState<Value>)

  /// Called for every delivery, on the context of the subscription. By default, passes the state on.
  ///
  /// Deliveries of one subscription never overlap (2.02).
  func receive(_ publication: Publication<Value>)
}

extension TypedSubscriber {
  /// Stops the program: implement one of the two functions.
  public func receive(_ state: LoadState<Value>) { stopForMissingFunction(Self.self) }

  /// Passes the state on.
  @inlinable public func receive(_ publication: Publication<Value>) { receive(publication.state) }
}

/// An object of the main actor that receives the states of publishers of one type.
///
/// Deliveries run on the main actor. The library never releases such an object on another thread (2.05). Implement one of
/// the two functions, as for ``TypedSubscriber``.
@MainActor
public protocol MainActorTypedSubscriber<Value>: AnyObject, Sendable {
  /// The type of the publishers' values.
  associatedtype Value: Sendable

  /// Called for every delivery, on the main actor, unless `receive(_ publication:)` is implemented.
  func receive(_ state: LoadState<Value>)

  /// Called for every delivery, on the main actor. By default, passes the state on.
  func receive(_ publication: Publication<Value>)
}

extension MainActorTypedSubscriber {
  /// Stops the program: implement one of the two functions.
  public func receive(_ state: LoadState<Value>) { stopForMissingFunction(Self.self) }

  /// Passes the state on.
  @inlinable public func receive(_ publication: Publication<Value>) { receive(publication.state) }
}

private func stopForMissingFunction(_ type: Any.Type) -> Never {
  stopForMisuse("\(type) implements no receive(_:) that takes a LoadState: implement it, or don't call it")
}
