// expect: does not conform to the 'Sendable' protocol

import SubPub

final class Basket { var items: [String] = [] }
// instead: struct Basket { var items: [String] = [] }

func makePublisher() {
  _ = Publisher<Basket>()
}
