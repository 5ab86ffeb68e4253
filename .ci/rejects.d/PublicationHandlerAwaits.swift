// expect: to await, write `for await publication in publisher.publications() { … }` in a task

import SubPub

actor Log {
  func write(_ publication: Publication<Int>) {}
}

func attach(_ log: Log, to publisher: Publisher<Int>) async {
  publisher.subscribe(log, on: .background, publication: { log, publication in await log.write(publication) })
  // instead: for await publication in publisher.publications() { await log.write(publication) }
}
