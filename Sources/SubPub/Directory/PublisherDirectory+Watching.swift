extension PublisherDirectory {
  /// Subscribes an object to every publisher of the directory, through its type-less face: to those that are there and
  /// to those to come, made or registered. For what concerns them all, such as a global error handler.
  ///
  /// Each publisher's current state comes first, and then every later one (rule 2.01). Each has a subscription and a
  /// buffer of its own: `latest` keeps one state of each publisher. Deliveries from one publisher never overlap (rule
  /// 2.02). Those from different ones don't on a serial queue or an actor, and may on a pool, a concurrent queue, an
  /// executor, and with immediate delivery. With immediate delivery the current states come before this returns, in the
  /// order in which the publishers were listed, and those of a publisher to come on the thread that brings it.
  ///
  /// What is returned stands for all of it, and needn't be kept:
  ///
  /// - `cancel()` ends everything, the publishers to come included: no delivery from any of them begins after it has
  ///   returned. Of what it finds it says the first of inFlight, reentrant, quiescent, alreadyCancelled. In flight
  ///   there may be a delivery from each of several publishers. `cancelAndWait()` returns when none is under way.
  /// - `statistics` are sums, with the greatest `highWater`. `lastVersion` is nil: versions belong to publishers.
  /// - `source` names the directory. `isActive` doesn't ask whether there are publishers.
  ///
  /// The object is held weakly (rule 2.05). If it watches the directory already, what stands is returned as it is. What
  /// it subscribes at a publisher itself is independent of this, and gets its own deliveries; `unsubscribe` there ends
  /// both, for that publisher. Releasing the directory cancels. Time: what a subscription takes, for each publisher.
  @discardableResult
  public func subscribeToAll(
    _ subscriber: any Subscriber, on delivery: Delivery, buffering: BufferingPolicy = .unbounded
  ) -> Subscription {
    let held = UnownedExistential(subscriber)
    return stand(
      Watch.handle(of: subscriber, as: .untyped, on: delivery, buffering: buffering, source: id) { publisher in
        held.use {
          publisher.enrolment(of: $0, as: .directory, on: delivery, buffering: buffering, ifDuplicate: .allow)
        }
      })
  }

  /// The same for an object of the main actor; delivered there, one at a time.
  @discardableResult
  public func subscribeToAll(_ subscriber: any MainActorSubscriber, buffering: BufferingPolicy = .unbounded)
    -> Subscription
  {
    let held = UnownedExistential(subscriber)
    return stand(
      Watch.handle(of: subscriber, as: .untypedOnMainActor, on: .main, buffering: buffering, source: id) { publisher in
        held.use { publisher.enrolment(of: $0, as: .directoryOnMainActor, buffering: buffering, ifDuplicate: .allow) }
      })
  }

  /// Has a new watch join everywhere, or finds the standing one of its object. The caller holds the object.
  private func stand(_ new: Subscription) -> Subscription {
    let key = DirectoryState.WatchKey(subscriber: new.subscriberID, face: new.face)
    while true {
      // Who is active at the place of the caller's object is the same object.
      let standing = state.withLock { $0.watches[key] }
      if let standing, standing.isActive {
        // Whoever made it may not have come so far.
        joinAll(standing)
        return standing
      }
      // From here on a publisher that is listed has it join, and all that were listed before are seen below.
      let isSweepDue = state.withLock { state in
        state.watches.add(new, for: key, insteadOf: standing) ? state.watches.isSweepDue : nil
      }
      guard let isSweepDue else { continue }
      joinAll(new)
      if isSweepDue { sweepWatches() }
      return new
    }
  }

  /// Has a watch join every publisher that is listed, where it hasn't.
  private func joinAll(_ handle: Subscription) {
    for listing in sweepListings() { Watch.of(handle)?.join(listing, for: handle) }
  }
}
