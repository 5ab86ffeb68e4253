// expect: value of type 'ReadOnlyPublisher<Int>' has no member 'updateData'

import SubPub

func change(_ owned: Publisher<Int>, _ handedOut: ReadOnlyPublisher<Int>) {
  handedOut.updateData(1)
  // instead: owned.updateData(1)
}
