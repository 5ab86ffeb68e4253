// expect: Add the trait to the dependency

import SubPubRedis

func connect(to endpoint: RedisEndpoint) {}
// instead: func connect(to endpoint: String) {}
