// Exported, so that the other files import only what few of them need.
@_exported import SubPub
@_exported import SubPubTesting
@_exported import Support
import Testing

/// Threads that start together do concurrently whatever users may do.
///
/// Then a checker that knows nothing of how the library works decides from their records whether the rules hold.
@Suite(
  "The library keeps every rule under the load of many threads", .serialized, Scored(), .timeLimit(.minutes(6_000)))
struct StressTests {}
