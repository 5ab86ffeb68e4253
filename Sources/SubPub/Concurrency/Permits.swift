/// Permits for work that may be done by so many at a time; the others wait in the order in which they came.
final class Permits: Sendable {
  private let queue: Locked<PermitQueue>

  init(_ count: Int) { queue = Locked(PermitQueue(free: count)) }

  /// Takes the next ticket, which has to be returned.
  func takeTicket() -> Int { queue.withLock { $0.takeTicket() } }

  /// Returns a ticket and its permit, if it has one; does nothing if it was returned before.
  func `return`(_ ticket: Int) { queue.withLock { $0.return(ticket) }?.resume() }

  /// Waits until a ticket has a permit; returns false if this task is cancelled, and the ticket returned.
  func wait(with ticket: Int) async -> Bool {
    await SuspendedTask.wait { task in
      queue.withLock { $0.suspend(task, with: ticket) }
    } onCancel: {
      self.return(ticket)
    }
    return queue.withLock { $0.hasPermit(ticket) }
  }
}

/// Who has a permit, and who waits for one.
///
/// Decides only: tasks to be resumed are returned.
struct PermitQueue {
  private enum Holder {
    case waiting(SuspendedTask?)
    case permitted
  }

  private var free: Int
  private var holders: [Int: Holder] = [:]
  private var lastTicket = 0
  /// No ticket up to this one waits.
  private var lastPermitted = 0

  init(free: Int) { self.free = free }

  /// Whether nobody has to wait.
  var hasFree: Bool { free > 0 }

  mutating func takeTicket() -> Int {
    lastTicket += 1
    holders[lastTicket] = free > 0 ? .permitted : .waiting(nil)
    if free > 0 { (free, lastPermitted) = (free - 1, lastTicket) }
    return lastTicket
  }

  func hasPermit(_ ticket: Int) -> Bool { if case .permitted? = holders[ticket] { true } else { false } }

  /// Records a task that waits; returns false if there is nothing to wait for.
  mutating func suspend(_ task: SuspendedTask, with ticket: Int) -> Bool {
    guard case .waiting? = holders[ticket] else { return false }
    holders[ticket] = .waiting(task)
    return true
  }

  /// Removes a ticket; returns the task that doesn't wait any longer: its own, or that which gets its permit.
  mutating func `return`(_ ticket: Int) -> SuspendedTask? {
    switch holders.removeValue(forKey: ticket) {
    case nil: return nil
    case .waiting(let task): return task
    case .permitted: break
    }
    while lastPermitted < lastTicket {
      lastPermitted += 1
      guard case .waiting(let next)? = holders[lastPermitted] else { continue }
      holders[lastPermitted] = .permitted
      return next
    }
    free += 1
    return nil
  }
}
