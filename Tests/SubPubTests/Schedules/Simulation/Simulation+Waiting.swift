import SubPub
import Support

/// Operations that clients leave to tasks.
extension Simulation {
  /// Waits in a task until all states of this moment are delivered (3.07).
  func drain() {
    guard let publisher else { return }
    let version = publisher.current.version
    let begin = stamp(scheduler.note(.drain, Int(version)))
    task { [publisher] in
      await publisher.drain()
      let end = self.stamp(self.scheduler.note(.returned))
      self.drains.append((UInt32(version), Span(begin: begin, end: end)))
      self.scheduler.note(.finished)
    }
    scheduler.point()
  }

  /// Cancels in a task, and waits for the end of the delivery that is in flight (3.04).
  func cancelAndWait(_ member: SimulatedSubscription?) {
    guard let member, let subscription = member.subscription else { return }
    let (number, step) = (member.number, scheduler.note(.cancelAndWait, member.number))
    member.mayEnd(at: step)
    task {
      self.scheduler.note(.cancelAndWait, number)
      await subscription.cancelAndWait()
      let span = Span(begin: self.stamp(step), end: self.stamp(self.scheduler.note(.returned, number)))
      self.members[number].cancels.append(CancelRecord(span: span, answer: .waited, thread: .max))
      self.scheduler.note(.finished)
    }
    scheduler.point()
  }

  /// Iterates in a task.
  func iterate(_ name: String, _ buffering: BufferingPolicy) {
    guard let publisher else { return }
    let inbox = makeInbox()
    let member = makeMember(inbox, on: immediate, buffering)
    inbox.members.append(member)
    perform(.iterate, member.number) {
      member.joining.begin = stamp(scheduler.trace.events.count)
      let iterator = publisher.publications(buffering: buffering).makeAsyncIterator()
      member.joining.end = stamp(scheduler.trace.events.count)
      member.task = consume(iterator, member.number)
      return .join(member: member.number, replay: nil)
    }
    named[name] = member
  }

  private func consume(_ iterator: sending PublicationSequence<Payload>.Iterator, _ number: Int) -> Task<Void, Never> {
    openTasks += 1
    return Task(executorPreference: tasks) {
      var iterator = iterator
      let inbox = self.members[number].inbox
      while let publication = await iterator.next() {
        let step = self.stamp(self.scheduler.note(.take, number, Content(publication.state).code))
        inbox.end(inbox.begin(publication, at: step, on: self.scheduler.running?.number ?? -1), at: step)
        self.scheduler.point()
      }
      self.members[number].counts = iterator.statistics
      self.members[number].iterationEnd = iterator.end
      let response = self.scheduler.note(.finished, number)
      for index in self.operations.indices {
        if case .leave(number, nil) = self.operations[index].effect { self.operations[index].response = response }
      }
      self.openTasks -= 1
    }
  }

  /// Cancels a task that iterates, which notices it at once if it waits, and otherwise at its next call of `next()`.
  func endIterating(_ member: SimulatedSubscription?) {
    guard let member, let task = member.task else { return }
    perform(.endIterating, member.number) {
      // The runtime cancels the subscription under a lock of the task.
      scheduler.undisturbed { task.cancel() }
      member.isLeaving = true
      return member.counts == nil ? .leave(member: member.number, received: nil) : nil
    }
  }
}
