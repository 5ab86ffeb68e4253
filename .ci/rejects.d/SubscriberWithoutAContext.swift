// expect: instance method 'subscribe(_:buffering:ifDuplicate:label:)' requires that 'Log' conform to

import SubPub

final class Log: Subscriber {
  func receive(_ publication: any AnyPublication) {}
}

func attach(_ log: Log, to publisher: Publisher<Int>) {
  publisher.subscribe(log)
  // instead: publisher.subscribe(log, on: .background)
}
