import SubPub

/// A subscriber that checks what it gets. We and the rival deliver to the same class.
protocol Receiver: TypedSubscriber where Value == [Int] {
  /// Throws if it didn't get what it had to when that many were published.
  func check(published: Int) throws(Shortfall)
}
