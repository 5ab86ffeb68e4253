// expect: only class instances and actors can subscribe, because they are held weakly

import SubPub

struct Listener: Sendable {}
// instead: final class Listener: Sendable {}

func attach(_ listener: Listener, to publisher: Publisher<Int>) {
  publisher.subscribe(listener, on: .background) { _, _ in }
}
