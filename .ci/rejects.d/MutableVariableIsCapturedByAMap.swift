// expect: mutation of captured var 'calls' in concurrently-executing code

import SubPub

func count(_ publisher: Publisher<Int>) -> ReadOnlyPublisher<Int> {
  var calls = 0
  calls += 1
  print(calls)
  return publisher.map { value in
    calls += 1
    // instead: print(value)
    return value
  }
}
