// expect: without an object, `observe(on:)` takes the handler: keep what it returns

import SubPub

func attach(to publisher: Publisher<Int>) {
  let observation = publisher.subscribe(on: .background) { state in print(state) }
  // instead: let observation = publisher.observe(on: .background) { print($0.state) }
  print(observation.isActive)
}
