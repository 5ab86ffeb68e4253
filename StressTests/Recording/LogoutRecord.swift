/// One logout, when it had returned.
struct LogoutRecord: Hashable, Sendable {
  /// Who was logged in next.
  let login: Int
  /// The publisher's version after it, or a later one.
  let version: UInt64
}
