// expect: does not conform to the 'Sendable' protocol

import SubPub

struct Basket { var items: [String] = [] }

func makePublisher() {
  _ = Publisher<Basket>()
}
