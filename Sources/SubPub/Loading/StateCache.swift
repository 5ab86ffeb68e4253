/// Keeps the last value of a manager, so that there is something to show before the first load has ended.
///
/// A manager runs the operations of its cache one at a time, in order (rule 5.10), and never on the thread of a caller.
/// Conforming types are used from several managers, or processes, at a time only if they say that they may be.
public protocol StateCache<Value>: Sendable {
  associatedtype Value: Sendable

  /// The value that was written last, and its age; nil if there is none. Throws when there is one that can't be read:
  /// it is left where it is, and the manager publishes the error.
  func read() async throws -> Cached<Value>?

  /// Replaces the value. When it throws, the value before is still there, whole.
  func write(_ value: Value) async throws

  /// Forgets the value. After its return nothing that was written before is ever read again.
  func clear() async throws
}
