// expect: to await, write `for await publication in publisher.publications() { … }` in a task

import SubPub

actor Log {
  func write(_ publication: Publication<Int>) {}
}

func observe(_ publisher: Publisher<Int>, _ log: Log) async {
  _ = publisher.observe(on: .background) { publication in await log.write(publication) }
  // instead: for await publication in publisher.publications() { await log.write(publication) }
}
