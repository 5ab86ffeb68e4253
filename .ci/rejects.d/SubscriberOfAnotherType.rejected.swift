// expect: requires the types 'Int' and 'String' be equivalent

import SubPub

final class Log: TypedSubscriber {
  func receive(_ state: LoadState<String>) {}
}

func attach(_ log: Log, to publisher: Publisher<Int>) {
  publisher.subscribe(log, on: .background)
}
