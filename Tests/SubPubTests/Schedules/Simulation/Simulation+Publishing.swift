import SubPub
import Support

/// Operations of clients on the publisher.
extension Simulation {
  /// Performs one operation between two scheduling points.
  func perform(_ kind: Trace.Kind, _ subject: Int = 0, _ body: () -> Register.Effect?) {
    scheduler.point()
    let invocation = scheduler.note(kind, subject)
    let index = operations.count
    operations.append(
      Operation(client: scheduler.running?.number ?? -1, invocation: invocation, response: invocation))
    var effect: Register.Effect?
    scheduler.operation {
      // Clients share these besides the publisher.
      scheduler.touch(Scheduler.subscribers, isWrite: false)
      effect = body()
    }
    operations[index].effect = effect
    operations[index].response = scheduler.note(.returned, invocation)
    scheduler.point()
  }

  /// Makes transitions of any kind.
  func publish(_ count: Int = 1) {
    for _ in 0..<count {
      guard let publisher else { return }
      let number = makeNumber()
      switch draw(15) {
      case 0: write(.startLoading, { .loading($0.data) }) { publisher.startLoading() }
      case 1:
        write(.setError, { .failed(number, $0.data) }) {
          publisher.setError(NumberedFailure(payload: makePayload(number)))
        }
      case 2: write(.reset, { _ in .unknown }) { publisher.reset() }
      case 3: write(.publish, { $0 }) { publisher.republish() }
      case 4...7: update(publisher, number)
      case 8...10: updateIfChanged(publisher, number)
      case 11:
        write(.setState, { _ in .loading(number) }) { publisher.setState(.loading(previous: makePayload(number))) }
      default: updateData(publisher, number)
      }
    }
  }

  /// Publishes new values.
  func updateData(_ count: Int = 1) {
    for _ in 0..<count {
      let number = makeNumber()
      if let publisher { updateData(publisher, number) }
    }
  }

  private func updateData(_ publisher: Publisher<Payload>, _ number: Int) {
    write(.updateData, { _ in .loaded(number) }) { publisher.updateData(makePayload(number)) }
  }

  private func write(_ kind: Trace.Kind, _ change: @escaping (Content) -> Content, _ body: () -> Void) {
    perform(kind) {
      body()
      return .write(change)
    }
  }

  private func update(_ publisher: Publisher<Payload>, _ number: Int) {
    perform(.update, number) {
      var old = Content.unknown
      let publication = publisher.update { state in
        old = Content(state)
        foreignCode(.transform, number)
        foreignCode(.transform, number)
        return .loaded(makePayload(number))
      }
      return publication.version == 0
        ? .dropped : .update(from: old, to: .loaded(number), version: publication.version)
    }
  }

  /// Makes transitions that tell whether they were dropped.
  func change(_ count: Int = 1) { for _ in 0..<count { if let publisher { update(publisher, makeNumber()) } } }

  /// Finishes the publisher; after that, nobody calls anything but `change`.
  func finish() {
    guard let publisher else { return }
    perform(.finish) {
      finishedAt = finishedAt ?? scheduler.trace.events.count
      publisher.finish()
      return .finish
    }
  }

  private func updateIfChanged(_ publisher: Publisher<Payload>, _ new: Int) {
    let number = draw(2) == 0 ? publisher.state.value.map { Int($0.number) } ?? new : new
    perform(.updateIfChanged, number) {
      publisher.updateData(ifChanged: makePayload(number))
        ? .write { _ in .loaded(number) } : .read(version: nil, .loaded(number))
    }
  }

  func read() {
    guard let publisher else { return }
    perform(.read) {
      let current = publisher.current
      scheduler.note(.read, Int(current.version))
      return .read(version: current.version, Content(current.state))
    }
  }

  /// Counts the subscribers, which ends the subscriptions of dead ones.
  func count() {
    guard let publisher else { return }
    perform(.count) {
      scheduler.note(.count, publisher.subscriberCount)
      return nil
    }
  }

  /// Releases the publisher, which lives until no client is inside a call.
  func releasePublisher() {
    scheduler.operation {
      scheduler.step(at: Scheduler.subscribers)
      let step = scheduler.note(.releasePublisher)
      releasedAt = releasedAt ?? step
      publisher = nil
    }
    scheduler.point()
  }
}
