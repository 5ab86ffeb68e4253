import SubPub

/// Unsubscribes in its `deinit`.
final class LeavingWitness: TypedSubscriber {
  private let log: DeliveryLog
  private let stage: Stage

  init(_ log: DeliveryLog, _ stage: Stage) { (self.log, self.stage) = (log, stage) }

  deinit {
    log.died()
    stage.publisher.unsubscribe(self)
  }

  func receive(_ state: LoadState<Payload>) {}
  func receive(_ publication: Publication<Payload>) { log.record(publication) }
}

/// An actor that is a context, and dies.
actor MortalHost {
  private let obituary: Obituary
  init(_ obituary: Obituary) { self.obituary = obituary }
  deinit { obituary.note() }
}

/// The same with an executor of its own, where nothing that waits keeps it alive.
actor MortalQueueHost {
  private let obituary: Obituary
  private static let executor = QueueExecutor(label: "mortals")
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe Self.executor.asUnownedSerialExecutor() }
  init(_ obituary: Obituary) { self.obituary = obituary }
  deinit { obituary.note() }
}

/// Notes when an actor has died; until then it holds the subscriber, so that the actor is what ends the subscription.
final class Obituary: Sendable {
  private let deaths: Countdown
  private let watched = Guarded<(member: Member, subscriber: (any AnyObject & Sendable)?)?>(nil)

  init(_ deaths: Countdown) {
    self.deaths = deaths
    deaths.expect(1)
  }

  func watch(_ member: Member, _ subscriber: (any AnyObject & Sendable)?) {
    watched.with { $0 = (member, subscriber) }
  }

  func note() {
    let death = Stamp.now()
    // Let go of outside the lock: the subscriber may die here.
    let watched = watched.with { $0.take() }
    watched?.member.note { $0.contextDeath = death }
    deaths.arrive()
  }
}
