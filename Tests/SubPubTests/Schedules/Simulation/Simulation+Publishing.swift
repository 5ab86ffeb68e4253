import SubPub

/// What clients do with the publisher.
extension Simulation {
  /// One operation, between two scheduling points.
  func perform(_ kind: Trace.Kind, _ subject: Int = 0, _ body: () -> ClientCall.Effect?) {
    scheduler.point()
    let invocation = scheduler.note(kind, subject)
    let index = operations.count
    operations.append(
      ClientCall(client: scheduler.running?.number ?? -1, invocation: invocation, response: invocation, effect: nil))
    var effect: ClientCall.Effect?
    scheduler.operation {
      // What clients share besides the publisher itself.
      scheduler.touch(Scheduler.subscribers, isWrite: false)
      effect = body()
    }
    operations[index].effect = effect
    operations[index].response = scheduler.note(.returned, invocation)
    scheduler.point()
  }

  /// A transition of one of the kinds.
  func publish() {
    guard let publisher else { return }
    let number = makeNumber()
    switch draw(15) {
    case 0:
      perform(.startLoading) {
        publisher.startLoading()
        return .write(.load)
      }
    case 1:
      perform(.setError, number) {
        publisher.setError(Failure(number, self))
        return .write(.fail(number))
      }
    case 2:
      perform(.reset) {
        publisher.reset()
        return .write(.set(.unknown))
      }
    case 3:
      perform(.publish) {
        publisher.republish()
        return .write(.again)
      }
    case 4...7: update(publisher, number)
    case 8...10: updateIfChanged(publisher, number)
    case 11:
      perform(.setState, number) {
        publisher.setState(.loading(previous: Payload(number, self)))
        return .write(.set(.loading(number)))
      }
    default:
      perform(.updateData, number) {
        publisher.updateData(Payload(number, self))
        return .write(.set(.loaded(number)))
      }
    }
  }

  private func update(_ publisher: Publisher<Payload>, _ number: Int) {
    perform(.update, number) {
      var old = Content.unknown
      let publication = publisher.update { state in
        old = Content(state)
        foreignCode(.transform, number)
        foreignCode(.transform, number)
        return .loaded(Payload(number, self))
      }
      return .update(from: old, to: .loaded(number), version: publication.version)
    }
  }

  private func updateIfChanged(_ publisher: Publisher<Payload>, _ new: Int) {
    let number = draw(2) == 0 ? publisher.state.value?.number ?? new : new
    perform(.updateIfChanged, number) {
      publisher.updateData(ifChanged: Payload(number, self))
        ? .write(.set(.loaded(number))) : .readContent(.loaded(number))
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

  /// Looks for the dead on the way.
  func count() {
    guard let publisher else { return }
    perform(.count) {
      scheduler.note(.count, publisher.subscriberCount)
      return nil
    }
  }

  /// The last reference goes when nobody is inside a call.
  func releasePublisher() {
    scheduler.operation {
      scheduler.step(at: Scheduler.subscribers)
      releasedAt = scheduler.note(.releasePublisher)
      publisher = nil
    }
    scheduler.point()
  }
}
