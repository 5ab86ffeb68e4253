// expect: value of type 'StatePublication<LoadState<Int>>' has no member 'verson'

import SubPub

func observe(_ publisher: Publisher<Int>) -> ScopedSubscription {
  publisher.observe(on: .background) { print($0.verson) }
  // instead: publisher.observe(on: .background) { print($0.version) }
}
