#if Redis
  import SubPub

  /// Something that is found out elsewhere, for those who wait for it.
  final class Answer<Value: Sendable>: Sendable {
    private let state = Locked((value: Value?.none, waiters: [Wake]()))

    var isSet: Bool { state.withLock { $0.value != nil } }

    func set(_ value: Value) {
      let waiters = state.withLock { state in
        state.value = value
        return state.waiters
      }
      for waiter in waiters { waiter.set() }
    }

    /// Returns nil if there is no value at that time, or when the task is cancelled.
    func value(by end: Moment, on loop: RedisLoop) async -> Value? {
      let wake = Wake()
      state.withLock { $0.waiters.append(wake) }
      if !isSet {
        await withTaskCancellationHandler {
          await wake.wait(until: end, on: loop)
        } onCancel: {
          wake.set()
        }
      }
      return state.withLock { state in
        state.waiters.removeAll { $0 === wake }
        return state.value
      }
    }
  }
#endif
