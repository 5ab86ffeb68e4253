#if Redis
  import SubPub

  /// Bounds how many threads wait for servers on behalf of outlets (1.04).
  ///
  /// Dispatch has 255 threads for all serial queues of a process. An outlet that is about to wait for a server asks for
  /// a permit; without contention, this takes a lock and no more.
  ///
  /// One server never has more than `mostForOne` permits, and never more than half of what it would leave to others, so
  /// a few servers that don't answer leave permits for those that do.
  final class BlockingSections: Sendable {
    /// The sections of all outlets of the process.
    static let all = BlockingSections()

    private static let most = 64
    fileprivate static let mostForOne = 16

    private let state = Locked(State(free: most))

    fileprivate typealias Waiter = CheckedContinuation<Bool, Never>

    fileprivate struct State {
      var free: Int
      var servers: [RedisEndpoint: Server] = [:]
      var waiterCount = 0
      var lastNumber = 0
    }

    fileprivate struct Server {
      var used = 0
      /// The outlets that wait for a permit, in their order.
      var waiters: [(number: Int, waiter: Waiter)] = []
    }

    /// Waits for a permit; returns false, without one, if the task is cancelled in the meantime.
    func enter(_ endpoint: RedisEndpoint) async -> Bool {
      if state.withLock({ $0.take(endpoint) }) { return true }
      let number = state.withLock { state in
        state.lastNumber += 1
        return state.lastNumber
      }
      return await withTaskCancellationHandler {
        await withCheckedContinuation { waiter in
          let has = state.withLock { $0.takeOrWait(endpoint, number, waiter) }
          if has { waiter.resume(returning: true) } else if Task.isCancelled { cancel(endpoint, number) }
        }
      } onCancel: {
        cancel(endpoint, number)
      }
    }

    /// Returns a permit.
    func leave(_ endpoint: RedisEndpoint) {
      for waiter in state.withLock({ $0.release(endpoint) }) { waiter.resume(returning: true) }
    }

    private func cancel(_ endpoint: RedisEndpoint, _ number: Int) {
      state.withLock { $0.removeWaiter(endpoint, number) }?.resume(returning: false)
    }
  }

  extension BlockingSections.State {
    mutating func take(_ endpoint: RedisEndpoint) -> Bool {
      let server = servers[endpoint] ?? BlockingSections.Server()
      guard server.waiters.isEmpty, hasRoom(for: server) else { return false }
      servers[endpoint, default: server].used += 1
      free -= 1
      return true
    }

    mutating func takeOrWait(_ endpoint: RedisEndpoint, _ number: Int, _ waiter: BlockingSections.Waiter) -> Bool {
      if take(endpoint) { return true }
      servers[endpoint, default: BlockingSections.Server()].waiters.append((number, waiter))
      waiterCount += 1
      return false
    }

    mutating func removeWaiter(_ endpoint: RedisEndpoint, _ number: Int) -> BlockingSections.Waiter? {
      guard let index = servers[endpoint]?.waiters.firstIndex(where: { $0.number == number }) else { return nil }
      waiterCount -= 1
      let waiter = servers[endpoint]?.waiters.remove(at: index).waiter
      removeIfUnused(endpoint)
      return waiter
    }

    private mutating func removeIfUnused(_ endpoint: RedisEndpoint) {
      if let server = servers[endpoint], server.used == 0, server.waiters.isEmpty { servers[endpoint] = nil }
    }

    /// Returns a permit, and passes on what is free now: to the servers that use the fewest.
    mutating func release(_ endpoint: RedisEndpoint) -> [BlockingSections.Waiter] {
      servers[endpoint]?.used -= 1
      free += 1
      removeIfUnused(endpoint)
      var woken: [BlockingSections.Waiter] = []
      while waiterCount > 0,
        let (next, server) = servers.filter({ !$0.value.waiters.isEmpty }).min(by: { $0.value.used < $1.value.used }),
        hasRoom(for: server)
      {
        servers[next]?.used += 1
        free -= 1
        waiterCount -= 1
        if let waiter = servers[next]?.waiters.removeFirst().waiter { woken.append(waiter) }
      }
      return woken
    }

    private func hasRoom(for server: BlockingSections.Server) -> Bool {
      server.used < BlockingSections.mostForOne && 2 * server.used < free
    }
  }

  /// Ends the waits of a connection, from another thread, even if bytes arrive all the time.
  final class Interruption: Sendable {
    /// The longest time until a waiting thread notices.
    static var delay: Duration { .milliseconds(50) }
    private let state = Locked(false)

    var isSet: Bool { state.withLock { $0 } }

    func set() { state.withLock { $0 = true } }

    func check() throws(RedisError.Reason) {
      if isSet { throw .unreachable("the outlet was cancelled while it waited for the server") }
    }
  }
#endif
