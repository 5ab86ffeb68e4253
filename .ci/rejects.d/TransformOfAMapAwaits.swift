// expect: a publisher isn't a sequence: iterate `publisher.states()`, `publisher.values()`, or `publisher.publications()`; a transform that throws belongs in `mapState`, and none can await

import SubPub

func name(of number: Int) async -> String { "\(number)" }

func show(_ publisher: Publisher<Int>) async {
  let names = publisher.map { await name(of: $0) }
  // instead: let names = publisher.values().map { await name(of: $0) }
  for await name in names { print(name) }
}
