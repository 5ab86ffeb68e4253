// expect: no exact matches in call to instance method 'subscribe'

import SubPub

actor Tally { var count = 0 }
actor Other { var count = 0 }

func attach(_ tally: Tally, to publisher: Publisher<Int>) {
  publisher.subscribe(tally) { (actor: isolated Other, _) in actor.count += 1 }
  // instead: publisher.subscribe(tally) { (actor: isolated Tally, _) in actor.count += 1 }
}
