import SubPub

/// What may follow what (5.01, 5.03 to 5.05, 5.08).
extension LoadChecker {
  mutating func checkPublications() {
    for (old, new) in zip(course.publications, course.publications.dropFirst()) {
      switch new.phase {
      case .unknown: checkUnknown(new, after: old)
      case .loading:
        expect(new.tickets == old.tickets, "5.01", "\(new) after \(old)")
        expect(
          old.phase != .loading || course.mix.mayRepeatLoading, "5.03", "one load beside another: \(new) after \(old)")
      case .error:
        expect(new.tickets == old.tickets, "5.01", "\(new) after \(old)")
        checkError(new, after: old)
      case .loaded: checkLoaded(new, after: old)
      }
      if course.mix.contains(.nextPage) { checkPages(new) }
    }
  }

  private mutating func checkUnknown(_ new: LoadPublication, after old: LoadPublication) {
    expect(new.tickets.isEmpty, "5.02", "\(new)")
    let isWanted = !course.mix.isDisjoint(with: [.logout, .foreign])
    expect(isWanted || isRestored(new, after: old) || isCopy(new, of: old), "5.05", "\(new) after \(old)")
  }

  private mutating func checkLoaded(_ new: LoadPublication, after old: LoadPublication) {
    guard let ticket = new.tickets.last else { return expect(false, "5.04", "loaded, and no value: \(new)") }
    guard published[ticket.number] == nil else { return checkRepeated(new, after: old) }
    checkCommit(ticket.number, .answered, new, after: old)
    let before = new.tickets.filter { $0.page < ticket.page }
    expect(
      before.isEmpty || before == old.tickets, "5.08", "a page that doesn't follow those so far: \(new) after \(old)")
  }

  private mutating func checkError(_ new: LoadPublication, after old: LoadPublication) {
    guard let number = new.refusal else {
      return expect(course.mix.contains(.foreign), "5.07", "an error of nobody: \(new)")
    }
    guard published[number] == nil else { return checkRepeated(new, after: old) }
    checkCommit(number, .refused, new, after: old)
  }

  /// What a load came to: its own `loading` has been shown since it has called its loader, and nothing else.
  private mutating func checkCommit(
    _ number: Int, _ outcome: LoaderCall.Outcome, _ new: LoadPublication, after old: LoadPublication
  ) {
    defer { note(number, in: new.version) }
    guard course.calls.indices.contains(number), course.calls[number].outcome == outcome else {
      return expect(false, "5.04", "no call has come to \(new)")
    }
    let version = course.calls[number].version
    expect(version < new.version, "5.04", "\(new) is older than its call, at \(version)")
    for between in course.publications[Int(min(version, old.version))...Int(old.version)] {
      let isOwn = between.phase == .loading && !course.foreign.contains(between.version)
      expect(isOwn, "5.04", "\(new) comes late: \(between) was published since its call, at \(version)")
    }
  }

  /// Known already: restored when everyone had given up, or published once more.
  private mutating func checkRepeated(_ new: LoadPublication, after old: LoadPublication) {
    let isForeign = course.foreign.contains(new.version)
    expect(isForeign || isRestored(new, after: old) || isCopy(new, of: old), "5.05", "again: \(new) after \(old)")
  }

  private func isRestored(_ new: LoadPublication, after old: LoadPublication) -> Bool {
    course.mix.contains(.cancel) && old.phase == .loading && old.tickets == new.tickets
  }

  private func isCopy(_ new: LoadPublication, of old: LoadPublication) -> Bool {
    course.mix.contains(.copies) && old.phase == new.phase && old.tickets == new.tickets && old.refusal == new.refusal
  }

  /// In order, each whole, and none twice.
  private mutating func checkPages(_ new: LoadPublication) {
    for (index, ticket) in new.tickets.enumerated() {
      let isInOrder = ticket.page == index / Desk.pageSize && ticket.place == index % Desk.pageSize
      expect(isInOrder, "5.08", "\(ticket) is at \(index) of \(new)")
      let isOfItsPage = course.calls.indices.contains(ticket.number) && course.calls[ticket.number].page == ticket.page
      expect(isOfItsPage, "5.08", "nobody asked for page \(ticket.page) with \(ticket)")
    }
  }
}
