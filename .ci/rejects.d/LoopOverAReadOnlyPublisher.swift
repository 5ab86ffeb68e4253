// expect: a publisher isn't a sequence: iterate `publisher.states()`, `publisher.values()`, or `publisher.publications()`

import SubPub

func show(_ publisher: ReadOnlyPublisher<Int>) async {
  for await value in publisher { print(value) }
  // instead: for await value in publisher.values() { print(value) }
}
