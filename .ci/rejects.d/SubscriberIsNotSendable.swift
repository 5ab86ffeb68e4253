// expect: type 'Listener' does not conform to the 'Sendable' protocol

import Dispatch
import SubPub

final class Listener { var shown = 0 }
// instead: final class Listener: Sendable { let shown = 0 }

func attach(_ listener: Listener, to publisher: Publisher<Int>, queue: DispatchQueue) {
  publisher.subscribe(listener, on: .queue(queue)) { listener, state in print(listener.shown, state) }
}
