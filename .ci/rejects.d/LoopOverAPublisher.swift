// expect: a publisher isn't a sequence: iterate `publisher.states()`, `publisher.values()`, or `publisher.publications()`

import SubPub

func show(_ publisher: Publisher<Int>) async {
  for await state in publisher { print(state) }
  // instead: for await state in publisher.states() { print(state) }
}
