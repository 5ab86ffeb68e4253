import Testing

/// Real threads, started on a barrier, hammer the library with everything that its users may do at once; then a checker
/// that knows nothing of the library decides every rule from what was recorded.
@Suite("Hammered by many threads the library keeps every rule", .serialized, Scored(), .timeLimit(.minutes(6_000)))
struct StressTests {}
