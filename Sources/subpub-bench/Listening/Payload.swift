/// What is published: a counter, in an array, made beforehand so that no allocation is measured but those of the way.
enum Payload {
  /// As many as there are different payloads; the counter begins anew after them.
  static let count = 256
  static let ring = ring(from: 0)

  /// Of one of several publishing threads.
  static func ring(from source: Int) -> [[Int]] { (0..<count).map { [$0, source] } }

  /// Whether this payload is the one that was published after so many others.
  @inline(__always)
  static func isNext(_ value: [Int], after others: Int) -> Bool { value[0] == others & (count - 1) }
}
