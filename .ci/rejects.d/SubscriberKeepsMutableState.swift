// expect: stored property 'shown' of 'Sendable'-conforming class 'Listener' is mutable

import SubPub

final class Listener: Subscriber {
  var shown = 0
  // instead: let shown = 0
  func receive(_ publication: any AnyPublication) {}
}
