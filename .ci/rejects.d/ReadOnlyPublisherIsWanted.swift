// expect: cannot convert value of type 'Publisher<Int>' to expected argument type 'ReadOnlyPublisher<Int>'

import SubPub

func show(_ publisher: ReadOnlyPublisher<Int>) {}

func begin(with publisher: Publisher<Int>) {
  show(publisher)
  // instead: show(publisher.readOnly)
}
