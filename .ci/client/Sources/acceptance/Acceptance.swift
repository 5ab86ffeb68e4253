import Dispatch

/// Uses every public declaration of the library, and stops at the first that breaks the contract.
@main
struct Acceptance {
  static func main() async throws {
    Here.markMainQueue()
    Watchdog.start(limit: .seconds(120))

    loadStates()
    publisherIDs()
    publications()
    await publishing()
    await updating()
    await waitingForAValue()
    await staleness()

    deliveryValues()
    await immediateDelivery()
    await mainDelivery()
    await backgroundDelivery()
    await queueDelivery()
    try await independentQueueDelivery()
    await executorDelivery()
    await actorDelivery()
    await queueExecutors()

    await typelessSubscribers()
    await typedSubscribers()
    await mainActorSubscribers()
    await twoInterfaces()
    await handlers()
    await mainActorHandlers()
    await actorHandlers()
    await unsubscribing()

    buffering()
    await duplicates()
    await cancelling()
    try await cancellingUnderWay()
    await subscriptionValues()
    await weakSubscribers()
    await scopedSubscriptions()
    await drainingWithin()

    await stateSequences()
    await valueSequences()
    await publicationSequences()
    await sequencesOnActors()

    await explicitPublishers()
    await mainActorExplicitPublishers()
    await multicastDelegates()
    await mainActorMulticastDelegates()
    await directories()

    await readOnlyPublishers()
    await readOnlySubscribing()
    derivedPublishers()
    combinedPublishers()

    await observedStates()

    await loadingManagers()
    await edits()
    try await retries()
    await pagedManagers()
    try await cachedManagers()
    await memoryCaches()
    try await streamManagers()

    await recorders()
    await manualExecutors()
    try await gates()
    try await asyncGates()
    try await manualClocks()

    await converging()

    print("acceptance: \(Progress.count) checks passed")
  }
}
