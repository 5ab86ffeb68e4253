/// The errors that this client publishes.
nonisolated enum Failure: Error, Equatable { case offline, denied }

/// Another type whose cases read the same.
nonisolated enum OtherFailure: Error { case offline }
