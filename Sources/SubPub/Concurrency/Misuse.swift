/// Stops the program because of a programmer error.
///
/// The message says what was wrong and what to do instead. `precondition` isn't used because it prints no message in
/// release builds, where it is needed most.
@usableFromInline
package func stopForMisuse(_ message: String) -> Never { fatalError(message) }

/// The body of a declaration that is unavailable, and exists for its message.
func neverCalled() -> Never { stopForMisuse("an unavailable function was called") }
