/// Stops the program for a mistake of the programmer who calls, and says what was wrong and what to do.
///
/// `precondition` says nothing in release builds, where it would be needed most.
@usableFromInline
func stopForMisuse(_ message: String) -> Never { fatalError(message) }
