/// Something on this machine that can be read again and again.
protocol Reader<Value>: Sendable {
  associatedtype Value: Sendable
  func read() async throws -> Value
}
