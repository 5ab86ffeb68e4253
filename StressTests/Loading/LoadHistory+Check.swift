/// Decides which rules of section 5 were broken.
///
/// It knows nothing of how the library loads, only which call of the loader each value and error comes from.
extension LoadHistory {
  func check() -> [Violation] {
    let (findings, versions) = (Findings(), publications.map(\.version))
    let isComplete = versions.elementsEqual(0...finalVersion)
    findings.expect(isComplete, "1.03", "of \(finalVersion) versions \(versions) were received")
    guard isComplete else { return findings.violations }
    // The calls whose value or error was published, with the first version of each.
    var published: [Int: UInt64] = [:]
    for (old, new) in zip(publications, publications.dropFirst()) {
      check(new, after: old, published, findings)
      if let source = new.source, published[source] == nil { published[source] = new.version }
    }
    for logout in logouts {
      for publication in publications.dropFirst(Int(logout.version) + 1) {
        let isNew = publication.items.allSatisfy { $0.login >= logout.login }
        findings.expect(isNew, "5.04", "\(publication) was published after \(logout)")
      }
    }
    if mix.isShared { checkCalls(published, findings) }
    for wait in waits { check(wait, published, findings) }
    findings.expect(!hasHangingWaits, "5.05", "a wait for a load never returns")
    let open = calls.indices.filter { calls[$0].outcome == .open }
    findings.expect(open.isEmpty, "5.04", "the calls \(open) were never cancelled")
    let isAtRest = publications.last?.phase != .loading || mix.contains(.foreign)
    findings.expect(isAtRest, "5.05", "the state is loading forever: the one before was not restored")
    return findings.violations
  }

  /// Which state may follow another (5.01 to 5.05, 5.07, 5.08, 5.16).
  private func check(
    _ new: LoadPublication, after old: LoadPublication, _ published: [Int: UInt64], _ findings: Findings
  ) {
    let isRestored = mix.mayRestore && old.phase == .loading && old.items == new.items
    let isCopy =
      mix.contains(.copies) && old.phase == new.phase && old.items == new.items && old.failure == new.failure
    let keepsItems = new.phase == .loaded || new.items == (new.phase == .unknown ? [] : old.items)
    findings.expect(keepsItems, new.phase == .unknown ? "5.02" : "5.01", "\(new) after \(old)")
    if mix.contains(.nextPage) { checkPages(new, findings) }
    switch new.phase {
    case .unknown:
      let isWanted = !mix.isDisjoint(with: [.logout, .foreign])
      findings.expect(isWanted || isRestored || isCopy, "5.05", "\(new) after \(old)")
    case .loading:
      let isOnly = old.phase != .loading || mix.mayRepeatLoading
      findings.expect(isOnly, "5.03", "two loads at once: \(new) after \(old)")
    case .error, .loaded:
      guard let source = new.source else {
        let isForeign = new.phase == .error && mix.contains(.foreign)
        return findings.expect(isForeign, new.phase == .error ? "5.07" : "5.04", "\(new) has no source")
      }
      if published[source] != nil {
        // A result that was published before: restored after a cancel, or published once more.
        let mayRepeat = foreign.contains(new.version) || isRestored || isCopy
        findings.expect(mayRepeat, "5.05", "again: \(new) after \(old)")
      } else if source < 0 {
        findings.expect(mix.contains(.set), "5.16", "a value of nobody: \(new)")
      } else {
        checkResult(of: source, new, after: old, findings)
      }
    }
  }

  /// The result of a load: since its call began, nothing but its own `loading` was published.
  private func checkResult(
    of number: Int, _ new: LoadPublication, after old: LoadPublication, _ findings: Findings
  ) {
    let outcome = new.phase == .loaded ? LoaderCall.Outcome.answered : .failed
    guard calls.indices.contains(number), calls[number].outcome == outcome else {
      return findings.expect(false, "5.04", "no call has the result \(new)")
    }
    let version = calls[number].version
    findings.expect(version < new.version, "5.04", "\(new) is older than its call, at \(version)")
    for between in publications[Int(min(version, old.version))...Int(old.version)] {
      let isOwn = between.phase == .loading && !foreign.contains(between.version)
      findings.expect(isOwn, "5.04", "\(new) is late: \(between) was published since its call, at \(version)")
    }
    guard new.phase == .loaded, let page = new.items.last?.page else { return }
    let before = new.items.filter { $0.page < page }
    findings.expect(
      before.isEmpty || before == old.items, "5.08", "a page that doesn't follow the earlier ones: \(new) after \(old)")
  }

  /// The pages are in order, each is complete, and none is there twice.
  private func checkPages(_ new: LoadPublication, _ findings: Findings) {
    for (index, item) in new.items.enumerated() {
      let isInOrder = item.page == index / FakeEndpoint.pageSize && item.place == index % FakeEndpoint.pageSize
      findings.expect(isInOrder, "5.08", "\(item) is at \(index) of \(new)")
      let isOfItsPage = calls.indices.contains(item.number) && calls[item.number].page == item.page
      findings.expect(isOfItsPage, "5.08", "no call for page \(item.page) has returned \(item)")
    }
  }

  /// If no load is superseded, its calls follow each other, and the result of the last one is published (5.03, 5.07).
  private func checkCalls(_ published: [Int: UInt64], _ findings: Findings) {
    var failures = 0
    let calls = calls.enumerated().sorted { $0.element.begin < $1.element.begin }
    for (first, second) in zip(calls, calls.dropFirst()) {
      let isOver = first.element.end <= second.element.begin
      findings.expect(isOver, "5.03", "the calls \(first.offset) and \(second.offset) run at once")
    }
    for (number, call) in calls {
      let isPublished = published[number] != nil
      switch call.outcome {
      case .answered:
        failures = 0
        findings.expect(isPublished, "5.03", "the result of call \(number) was never published")
      case .failed:
        failures += 1
        findings.expect(
          isPublished == (failures == attempts), "5.07", "call \(number) failed as number \(failures) of \(attempts)")
        if failures == attempts { failures = 0 }
      case .cancelled: findings.expect(false, "5.05", "call \(number) was cancelled, but its load wasn't")
      case .open: break
      }
    }
  }

  private func check(_ wait: LoadWait, _ published: [Int: UInt64], _ findings: Findings) {
    let isPublished = wait.item.map { published[$0] != nil } ?? true
    findings.expect(isPublished, "5.03", "\(wait) has a value that was never published")
    let source = wait.failure ?? wait.item
    if wait.operation == .restart, wait.phase != .loading, let source,
      mix.isDisjoint(with: [.cancel, .logout, .foreign, .abandon, .set])
    {
      findings.expect(calls[source].begin >= wait.begin, "5.04", "\(wait) has the result of an earlier call")
    }
    // With pages, a list that is complete is returned as it is.
    guard mix.isShared, wait.operation == .refresh else { return }
    findings.expect(wait.phase == .loaded || wait.phase == .error, "5.03", "\(wait) has no result")
    let isNew = source.map { published[$0, default: 0] > wait.version } ?? true
    findings.expect(isNew, "5.03", "\(wait) has an old result")
  }
}

extension LoadPublication {
  /// The call whose value or error it shows, or the number of a value that is set by hand.
  fileprivate var source: Int? {
    switch phase {
    case .unknown, .loading: nil
    case .loaded: items.last?.number
    case .error: failure
    }
  }
}
