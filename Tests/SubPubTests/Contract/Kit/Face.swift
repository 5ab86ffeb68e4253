/// Through what an object may subscribe; a duplicate is one through the same (rule 2.06).
enum Face: String, CaseIterable, Codable, Sendable {
  case typed, untyped, typedOnMainActor, untypedOnMainActor
  case explicit, otherExplicit, explicitOnMainActor
  case delegate
}
