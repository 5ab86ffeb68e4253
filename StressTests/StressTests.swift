import Testing

/// Threads that start together do at once whatever users may do; then a checker that knows nothing of the library decides
/// from what they recorded whether the rules hold.
@Suite(
  "The library keeps every rule under the load of many threads", .serialized, Scored(), .timeLimit(.minutes(6_000)))
struct StressTests {}
