import SubPub

/// Which state may follow another (5.01, 5.03 to 5.05, 5.08).
extension LoadChecker {
  mutating func checkPublications() {
    for (old, new) in zip(history.publications, history.publications.dropFirst()) {
      switch new.phase {
      case .unknown: checkUnknown(new, after: old)
      case .loading:
        expect(new.items == old.items, "5.01", "\(new) after \(old)")
        expect(
          old.phase != .loading || history.mix.mayRepeatLoading, "5.03", "two loads at once: \(new) after \(old)")
      case .error:
        expect(new.items == old.items, "5.01", "\(new) after \(old)")
        checkError(new, after: old)
      case .loaded: checkLoaded(new, after: old)
      }
      if history.mix.contains(.nextPage) { checkPages(new) }
    }
  }

  private mutating func checkUnknown(_ new: LoadPublication, after old: LoadPublication) {
    expect(new.items.isEmpty, "5.02", "\(new)")
    let isWanted = !history.mix.isDisjoint(with: [.logout, .foreign])
    expect(isWanted || isRestored(new, after: old) || isCopy(new, of: old), "5.05", "\(new) after \(old)")
  }

  private mutating func checkLoaded(_ new: LoadPublication, after old: LoadPublication) {
    guard let item = new.items.last else { return expect(false, "5.04", "loaded without a value: \(new)") }
    guard published[item.number] == nil else { return checkRepeated(new, after: old) }
    if item.number < 0 {
      expect(history.mix.contains(.set), "5.16", "a value of nobody: \(new)")
      return add(item.number, in: new.version)
    }
    checkCommit(item.number, .answered, new, after: old)
    let before = new.items.filter { $0.page < item.page }
    expect(
      before.isEmpty || before == old.items, "5.08", "a page that doesn't follow the earlier ones: \(new) after \(old)")
  }

  private mutating func checkError(_ new: LoadPublication, after old: LoadPublication) {
    guard let number = new.failure else {
      return expect(history.mix.contains(.foreign), "5.07", "an error that no call has thrown: \(new)")
    }
    guard published[number] == nil else { return checkRepeated(new, after: old) }
    checkCommit(number, .failed, new, after: old)
  }

  /// The result of a load: since its call began, nothing but its own `loading` was published.
  private mutating func checkCommit(
    _ number: Int, _ outcome: LoaderCall.Outcome, _ new: LoadPublication, after old: LoadPublication
  ) {
    defer { add(number, in: new.version) }
    guard history.calls.indices.contains(number), history.calls[number].outcome == outcome else {
      return expect(false, "5.04", "no call has the result \(new)")
    }
    let version = history.calls[number].version
    expect(version < new.version, "5.04", "\(new) is older than its call, at \(version)")
    for between in history.publications[Int(min(version, old.version))...Int(old.version)] {
      let isOwn = between.phase == .loading && !history.foreign.contains(between.version)
      expect(isOwn, "5.04", "\(new) is late: \(between) was published since its call, at \(version)")
    }
  }

  /// A result that was published before: restored after a cancel, or published once more.
  private mutating func checkRepeated(_ new: LoadPublication, after old: LoadPublication) {
    let isForeign = history.foreign.contains(new.version)
    expect(isForeign || isRestored(new, after: old) || isCopy(new, of: old), "5.05", "again: \(new) after \(old)")
  }

  private func isRestored(_ new: LoadPublication, after old: LoadPublication) -> Bool {
    history.mix.mayRestore && old.phase == .loading && old.items == new.items
  }

  private func isCopy(_ new: LoadPublication, of old: LoadPublication) -> Bool {
    history.mix.contains(.copies) && old.phase == new.phase && old.items == new.items && old.failure == new.failure
  }

  /// The pages are in order, each is complete, and none is there twice.
  private mutating func checkPages(_ new: LoadPublication) {
    for (index, item) in new.items.enumerated() {
      let isInOrder = item.page == index / FakeEndpoint.pageSize && item.place == index % FakeEndpoint.pageSize
      expect(isInOrder, "5.08", "\(item) is at \(index) of \(new)")
      let isOfItsPage = history.calls.indices.contains(item.number) && history.calls[item.number].page == item.page
      expect(isOfItsPage, "5.08", "no call for page \(item.page) has returned \(item)")
    }
  }
}
