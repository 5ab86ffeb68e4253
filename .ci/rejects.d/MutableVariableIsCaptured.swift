// expect: mutation of captured var 'count' in concurrently-executing code

import SubPub
import Synchronization

final class Listener: Sendable {
  let count = Atomic<Int>(0)
}

func attach(_ listener: Listener, to publisher: Publisher<Int>) {
  var count = 0
  publisher.subscribe(listener, on: .background) { listener, _ in
    count += 1
    // instead: listener.count.add(1, ordering: .relaxed)
  }
  count += 1
}
