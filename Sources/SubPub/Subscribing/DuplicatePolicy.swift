/// What happens when an object subscribes again through the same face of the same publisher (rule 2.06).
///
/// A duplicate is the same living object through the same protocol face. Handlers and method references are
/// independent of each other and are never duplicates.
public enum DuplicatePolicy: Hashable, Sendable {
  /// The standing subscription is returned as it is, with its context and buffering, and nothing is replayed.
  case ignore
  /// The standing subscription is cancelled and the new one joins at the end, in one step. Its first delivery
  /// begins only after one of the old subscription that is under way has ended; until then it alone waits.
  case replace
  /// Like `replace`, for every subscriber of exactly the same class. Looks at all subscriptions. Deliveries of other
  /// objects that are under way aren't waited for.
  case replaceSameType
  /// One more subscription of the same object.
  case allow
}
