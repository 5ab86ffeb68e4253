extension Duration {
  var nanoseconds: Double { self / .nanoseconds(1) }
}
