// expect: Add the trait to the dependency

import SubPub
import SubPubRedis

let publisher = Publisher<Int>()
let outlet = RedisOutlet(publisher, key: "weather", endpoint: RedisEndpoint(unixSocket: "/run/redis.sock"))
// instead: let outlet = publisher
