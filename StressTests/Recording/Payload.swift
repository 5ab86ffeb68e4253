/// What is published: a number that no other call publishes, and perhaps somebody whose `deinit` calls the library.
struct Payload: Sendable, Equatable {
  let number: UInt32
  var guest: Guest?

  static func == (left: Payload, right: Payload) -> Bool { left.number == right.number }
}

/// Runs code when the last who has the payload lets go of it.
final class Guest: Sendable {
  private let farewell: @Sendable () -> Void
  init(_ farewell: @escaping @Sendable () -> Void) { self.farewell = farewell }
  deinit { farewell() }
}

/// Numbers are given by callers: 10 bits say who, 22 bits count.
enum Number {
  static func make(caller: Int, count: Int) -> UInt32 { UInt32(caller) << 22 | UInt32(count) }
  static func caller(of number: UInt32) -> Int { Int(number >> 22) }
  static func count(of number: UInt32) -> Int { Int(number & (1 << 22 - 1)) }
}
