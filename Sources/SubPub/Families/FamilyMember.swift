import Synchronization

/// A manager of a family, and what the family knows about it.
///
/// `@unchecked`: the variables are accessed only while the family's lock is held.
final class FamilyMember: @unchecked Sendable {
  weak let manager: FamilyMembers.Object?
  /// In a box, whose type only the family knows.
  let key: FamilyMembers.Object
  let hash: Int
  let registry: PublisherRegistry
  /// Whether all observers know the manager.
  ///
  /// The release orders everything that they have done before everything that a thread does after finding it true.
  let isIntroduced = Atomic<Bool>(false)
  /// The manager, while it lingers or is listened to.
  var kept: FamilyMembers.Object?
  /// Until when it lingers at least; before all times if it has never lingered.
  var deadline = Duration.longAgo
  /// The number of the last use, by a request or a listener.
  var use = 0
  var isQueued = false
  /// Whether it is in the order of last uses.
  var isInOrder = false
  var isListenedTo = false
  /// The number of the last logout that has reached the manager.
  var logout = 0

  init(_ manager: FamilyMembers.Object, _ key: FamilyMembers.Object, _ hash: Int, _ registry: PublisherRegistry) {
    (self.manager, self.key, self.hash, self.registry) = (manager, key, hash, registry)
  }

  var id: ObjectIdentifier { ObjectIdentifier(self) }
  /// Whether only the family keeps it.
  var isLingering: Bool { kept != nil && !isListenedTo }
  /// Whether anybody listens, even if the notice of it hasn't reached the family yet.
  var isListenedToNow: Bool { registry.isListenedTo(for: id) }
}

/// The members whose keys have one hash value: hardly ever more than one, which needs no array.
///
/// The array is never changed in place: others may read a copy of it, and ThreadSanitizer takes that for a race.
struct FamilyBucket {
  private(set) var newest: FamilyMember
  private(set) var older: [FamilyMember] = []

  init(_ member: FamilyMember) { newest = member }

  func first(where isWanted: (FamilyMember) -> Bool) -> FamilyMember? {
    isWanted(newest) ? newest : older.first(where: isWanted)
  }

  mutating func insert(_ member: FamilyMember) {
    older = older + [newest]
    newest = member
  }

  /// Removes a member; returns false if the bucket would be empty.
  mutating func remove(_ member: FamilyMember) -> Bool {
    if newest !== member {
      older = older.filter { $0 !== member }
    } else if let next = older.last {
      (newest, older) = (next, older.dropLast())
    } else {
      return false
    }
    return true
  }
}
