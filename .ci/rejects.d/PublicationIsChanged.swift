// expect: cannot assign to property: 'state' is a 'let' constant

import SubPub

func overwrite(_ publisher: Publisher<Int>) {
  publisher.current.state = .unknown
  // instead: publisher.setState(.unknown)
}
