/// Stops the program because of a programmer error. The message names what was wrong and what to do instead.
///
/// `precondition` prints no message in release builds, where it would be needed most.
@usableFromInline
func stopForMisuse(_ message: String) -> Never { fatalError(message) }
