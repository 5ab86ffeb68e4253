// expect: requires that 'Listener' be a class type

import SubPub

struct Listener: Sendable {}
// instead: final class Listener: Sendable {}

func attach(_ listener: Listener, to publisher: Publisher<Int>) {
  publisher.subscribe(listener, on: .background) { _, _ in }
}
