#if Redis
  import SubPub

  extension RedisMirror {
    /// Waits for the first loaded value from now on, for up to 30 seconds; see ``value(within:)``.
    ///
    /// - Returns: The loaded value.
    /// - Throws: What ``value(within:)`` throws.
    public func value() async throws -> Value { try await value(within: .seconds(30)) }

    /// Waits for the first loaded value from now on, also if the server is still to come.
    ///
    /// Other publishers' `value()` throws the first error. This one waits while the mirror can't reach a server and
    /// tries again. The mirror has to run meanwhile.
    ///
    /// - Parameter limit: How long to wait, on the mirror's clock.
    /// - Returns: The loaded value.
    /// - Throws: The current error, or a ``RedisError`` that says that there is no state, when the time is over. Before
    ///   that, an error of the publishing process, or one that doesn't pass by itself. `CancellationError` if the task
    ///   is cancelled; `PublisherEnded` if the publisher is finished; the clock's error if the clock fails.
    public func value(within limit: Duration) async throws -> Value {
      let states = publisher.states()
      return try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { [publisher] in
          try await Self.firstValue(of: states, of: publisher.id)
        }
        group.addTask { [clock] in
          try await clock.pause(for: limit)
          return nil
        }
        defer { group.cancelAll() }
        if let value = try await group.next() ?? nil { return value }
        throw publisher.state.error ?? error(.unreachable("there is no state after \(limit)"))
      }
    }

    private static func firstValue(of states: StateSequence<Value>, of source: PublisherID) async throws -> Value {
      for await state in states {
        switch state {
        case .loaded(let value): return value
        case .error(let error as RedisError, _) where error.reason.isPassing: continue
        case .error(let error, _): throw error
        case .unknown, .loading: continue
        }
      }
      try Task.checkCancellation()
      throw PublisherEnded(source: source)
    }
  }
#endif
