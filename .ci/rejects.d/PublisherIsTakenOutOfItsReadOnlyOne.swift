// expect: 'publisher' is inaccessible due to 'private' protection level

import SubPub

func read(_ handedOut: ReadOnlyPublisher<Int>) -> LoadState<Int> {
  handedOut.publisher.state
  // instead: handedOut.state
}
