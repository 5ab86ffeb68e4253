/// What a loader gives: says which call of it that was, and for whom.
struct Ticket: Hashable, Sendable {
  /// Of the call.
  let number: Int
  /// Who was logged in when it was asked for.
  let login: Int
  let page: Int
  /// Within the page.
  let place: Int
}
