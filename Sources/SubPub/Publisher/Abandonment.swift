#if DEBUG
  package import Dispatch

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// Says in debug builds that nobody keeps a derived publisher, as in `publisher.map { … }.subscribe(…)`.
  ///
  /// Its subscribers live on without a delivery. So that the message can be trusted, it needs all of this:
  /// - The publisher was released within 10 ms, on the thread that made it, and its state hadn't changed: nobody keeps
  ///   one for so short a time.
  /// - None of its sources had finished it.
  /// - A second later, an object that had subscribed is alive, and nobody has cancelled its subscription. An iterator
  ///   doesn't count, because its loop ends.
  package struct Abandonment: Sendable {
    private let maker = ThreadToken.current
    private let made = MonotonicTime.now
    private let version: UInt64

    init(_ registry: PublisherRegistry) { version = registry.turn { $0.newest } }

    /// Looks for subscribers, now and a second later; the publisher is about to be released.
    func end<Value>(_ registry: PublisherRegistry, of type: Value.Type) {
      let limit = Self.hooks.withLock { $0.limit }
      guard maker == .current, made.duration(to: .now) < limit else { return }
      let subscriptions = registry.turn { state in
        state.isFinished || state.newest != version ? [] : state.lanes.all.flatMap(\.inTurn.subscriptions.open)
      }
      let publisher = registry.source.label.map { "\"\($0)\"" } ?? "of \(type)"
      for subscription in subscriptions where subscription.lane.iteration == nil {
        let look = { @Sendable in
          guard subscription.isAlive, subscription.end ?? .publisherEnded == .publisherEnded else { return }
          Self.tell(
            """
            SubPub: \(subscription.label ?? "\(subscription.subscriberType)") has subscribed to a derived publisher \
            \(publisher) that nobody keeps, and receives nothing more. Keep what map, combining, and the like return. \
            (Debug builds say so once.)
            """)
        }
        Self.hooks.withLock { $0.later }(subscription.interface.isOnMainActor ? .main : .global(), look)
      }
    }
  }

  extension Abandonment {
    /// What tests replace, in a process of their own.
    package struct Hooks: Sendable {
      /// How long a publisher lives at most that nobody keeps.
      package var limit = Duration.milliseconds(10)
      /// Looks a second later; main-actor objects only on the main actor (2.05).
      package var later: @Sendable (DispatchQueue, @escaping @Sendable () -> Void) -> Void = { queue, look in
        queue.asyncAfter(deadline: .now() + .seconds(1), execute: look)
      }
      /// What was said, so that it isn't repeated.
      fileprivate var told: Set<String> = []
    }

    package static let hooks = Locked(Hooks())

    /// Writes a message to the standard error output, unless it was written before or there were a hundred others.
    private static func tell(_ message: String) {
      let isNew = hooks.withLock { $0.told.count < 100 && $0.told.insert(message).inserted }
      guard isNew else { return }
      var line = message + "\n"
      line.withUTF8 { bytes in _ = unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
    }
  }
#endif
