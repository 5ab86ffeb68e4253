// expect: a publisher isn't a sequence: use `publisher.states()`, `publisher.values()`, or `publisher.publications()`

import SubPub

func name(of number: Int) async -> String { "\(number)" }

func show(_ publisher: Publisher<Int>) async {
  let names = publisher.map { await name(of: $0) }
  // instead: let names = publisher.values().map { await name(of: $0) }
  for await name in names { print(name) }
}
