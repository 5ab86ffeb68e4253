// expect: a queue's context is `.queue(queue)`, and the main queue's is `.main`

import Dispatch
import SubPub

final class Log: Subscriber {
  func receive(_ publication: any AnyPublication) {}
}

func attach(_ log: Log, to publisher: Publisher<Int>, _ queue: DispatchQueue) {
  publisher.subscribe(log, on: queue)
  // instead: publisher.subscribe(log, on: .queue(queue))
}
