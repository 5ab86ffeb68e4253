// expect: value of type 'ReadOnlyPublisher<Int>' has no member 'updateData'

import SubPub

func change(_ owned: Publisher<Int>, _ handedOut: ReadOnlyPublisher<Int>) {
  owned.updateData(1)
}
