// expect: a queue's context is `.queue(queue)`, and the main queue's is `.main`

import Dispatch
import SubPub

func observe(_ publisher: Publisher<Int>, _ queue: DispatchQueue) {
  _ = publisher.observe(on: queue) { print($0) }
  // instead: _ = publisher.observe(on: .queue(queue)) { print($0) }
}
