// expect: a publisher makes one: `publisher.readOnly`

import SubPub

func show(_ publisher: Publisher<Int>) {
  let shown = ReadOnlyPublisher(publisher)
  // instead: let shown = publisher.readOnly
  print(shown)
}
