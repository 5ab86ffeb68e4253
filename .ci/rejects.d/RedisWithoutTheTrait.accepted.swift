// expect: Add the trait to the dependency

import SubPubRedis

func connect(to endpoint: String) {}
