// expect: actor-isolated property 'count' can not be mutated from a Sendable closure

import SubPub

actor Tally { var count = 0 }

func attach(_ tally: Tally, to publisher: Publisher<Int>) {
  publisher.subscribe(tally, on: .background) { tally, _ in tally.count += 1 }
  // instead: publisher.subscribe(tally) { tally, _ in tally.count += 1 }
}
