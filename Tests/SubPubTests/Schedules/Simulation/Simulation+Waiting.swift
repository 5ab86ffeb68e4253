import SubPub

/// What clients leave to tasks, all of which run on the manual executor.
extension Simulation {
  private func task(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    openTasks += 1
    return Task(executorPreference: tasks) {
      await body()
      self.scheduler.note(.finished)
      self.openTasks -= 1
    }
  }

  /// Waits in a task until what is there now has been served (rule 3.07).
  func drain() {
    guard let publisher else { return }
    let version = publisher.current.version
    let served = members.filter { $0.subscription?.isActive == true && $0.buffering == .unbounded }.map(\.number)
    scheduler.note(.drain, Int(version))
    _ = task { [publisher] in
      await publisher.drain()
      for number in served { self.checkServed(self.members[number], upTo: version) }
    }
    scheduler.point()
  }

  private func checkServed(_ member: SimulatedSubscription, upTo version: UInt64) {
    guard let subscription = member.subscription, subscription.isActive else { return }
    if subscription.statistics.lastVersion.map({ $0 < version }) ?? true {
      problems.append("3.07: drain() returned before member \(member.number) had been given version \(version)")
    }
  }

  /// Cancels in a task, and waits for the end of what is under way (rule 3.04).
  func cancelAndWait(_ member: SimulatedSubscription?) {
    guard let member, let subscription = member.subscription else { return }
    scheduler.note(.cancelAndWait, member.number)
    member.mayHaveEnded = true
    let number = member.number
    _ = task {
      self.scheduler.note(.cancelAndWait, number)
      await subscription.cancelAndWait()
      let inbox = self.members[number].inbox
      if inbox.members.count == 1, inbox.isUnderWay {
        self.problems.append("3.04: cancelAndWait() returned while a delivery of member \(number) was under way")
      }
    }
    scheduler.point()
  }

  /// Iterates in a task.
  @discardableResult
  func iterate(_ buffering: BufferingPolicy = .unbounded) -> SimulatedSubscription? {
    guard let publisher else { return nil }
    let member = makeMember(makeInbox(), on: immediate, buffering)
    let number = member.number
    perform(.iterate, number) {
      let iterator = publisher.states(buffering: buffering).makeAsyncIterator()
      member.task = consume(iterator, number)
      return .join(member: number, replay: nil)
    }
    return member
  }

  private func consume(_ iterator: sending StateSequence<Payload>.Iterator, _ number: Int) -> Task<Void, Never> {
    openTasks += 1
    return Task(executorPreference: tasks) {
      var iterator = iterator
      while let state = await iterator.next() {
        let content = Content(state)
        self.scheduler.note(.take, number, content.code)
        self.members[number].taken.append(content)
        self.scheduler.point()
      }
      self.members[number].counts = iterator.statistics
      self.endOfIterating(number)
      self.openTasks -= 1
    }
  }

  private func endOfIterating(_ number: Int) {
    let response = scheduler.note(.finished, number)
    for index in operations.indices where operations[index].effect == .leave(member: number, put: -1) {
      operations[index].response = response
    }
  }

  /// Cancels the task that iterates. It notices at once if it waits, otherwise at the following `next()`.
  func endIterating(_ member: SimulatedSubscription?) {
    guard let member, let task = member.task else { return }
    perform(.endIterating, member.number) {
      // The runtime calls what cancels the subscription under a lock of the task's.
      scheduler.undisturbed { task.cancel() }
      member.isLeaving = true
      return member.counts == nil ? .leave(member: member.number, put: -1) : nil
    }
  }
}
