/// Stops the program because of a programmer error.
///
/// The message says what was wrong and what to do instead. `precondition` isn't used because it prints no message in
/// release builds, where it is needed most.
@usableFromInline
package func stopForMisuse(_ message: String) -> Never { fatalError(message) }
