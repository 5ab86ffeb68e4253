// expect: 'registry' is inaccessible due to 'internal' protection level

import SubPub

func open(_ publisher: some StatePublisher<Int>) {
  print(publisher._access.registry)
  // instead: print(publisher._access)
}
