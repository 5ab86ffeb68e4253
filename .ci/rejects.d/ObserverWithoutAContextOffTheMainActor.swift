// expect: main actor-isolated instance method 'observe(buffering:label:handler:)' cannot be called from outside of the actor

import SubPub

func watch(_ publisher: Publisher<Int>) async {
  let observation = publisher.observe { print($0) }
  // instead: let observation = publisher.observe(on: .background) { print($0) }
  withExtendedLifetime(observation) {}
}
