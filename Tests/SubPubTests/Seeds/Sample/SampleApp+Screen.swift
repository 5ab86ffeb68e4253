import SubPub

extension SampleApp {
  /// Somebody who looks at what a publisher says.
  protocol Screen<Value>: AnyObject, Sendable {
    associatedtype Value: Sendable
    /// Looks from now on; once.
    func attend(_ publisher: Publisher<Value>)
    /// Everything that it was told. To be called when everything is at rest.
    var views: [View] { get }
    /// Whether it is told every state.
    var missesNothing: Bool { get }
  }
}
