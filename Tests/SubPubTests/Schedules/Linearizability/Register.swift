/// The sequential model of a publisher: one register, its version, and the versions with which subscriptions began.
struct Register: Hashable {
  var version: UInt64 = 0
  var content = Content.unknown
  /// For each subscription one more than its first version; 0 before it joined.
  private var joined: [UInt64]

  init(members: Int) { joined = Array(repeating: 0, count: members) }

  /// Does it, if it could have had this effect now. `known` are contents that somebody saw under their versions.
  func applying(_ effect: ClientCall.Effect, known: [UInt64: Content]) -> Register? {
    var next = self
    switch effect {
    case .write(let change):
      next.version += 1
      next.content = content.changed(by: change)
    case .update(let from, let to, let version):
      guard content == from, self.version + 1 == version else { return nil }
      next.version += 1
      next.content = to
    case .read(let version, let content):
      return self.version == version && self.content == content ? self : nil
    case .readContent(let content):
      return self.content == content ? self : nil
    case .join(let member, let replay):
      guard replay == nil || replay == version else { return nil }
      next.joined[member] = version + 1
    case .leave(let member, let put):
      // Put in was everything from the first version to the one of the end.
      return joined[member] > 0 && joined[member] + UInt64(put) == version + 2 ? self : nil
    }
    if next.version != version, let seen = known[next.version], seen != next.content { return nil }
    return next
  }
}
