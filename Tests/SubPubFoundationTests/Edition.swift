/// A value that shows whether it is whole, and who wrote it.
struct Edition: Codable, Equatable, Sendable {
  let writer: Int
  let number: Int
  /// The number again and again; more often for some numbers than for others, so that no two files fit together.
  let body: [Int]

  init(writer: Int, number: Int) {
    self.writer = writer
    self.number = number
    body = Array(repeating: number, count: number % 50 * 40)
  }

  var isWhole: Bool { self == Edition(writer: writer, number: number) }
}
