// expect: type 'any PriceListener' does not conform to the 'Sendable' protocol

import SubPub

protocol PriceListener: AnyObject {
  // instead: protocol PriceListener: AnyObject, Sendable {
  func priceChanged(_ state: LoadState<Int>)
}

func makePrices() {
  _ = ExplicitPublisher<Int, any PriceListener> { $0.priceChanged($1) }
}
