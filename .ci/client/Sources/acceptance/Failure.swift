/// The errors that this client publishes.
nonisolated enum Failure: Error, Equatable { case offline, denied }

/// Another type with a case of the same name.
nonisolated enum OtherFailure: Error { case offline }
