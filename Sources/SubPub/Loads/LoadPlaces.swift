/// The places for loads that call their loaders at the same time; the others wait in the order in which they came.
///
/// A place is for one attempt, so a load that waits to try again takes none.
final class LoadPlaces: Sendable {
  /// Those of the family whose `make` is running, for the managers that it creates.
  @TaskLocal static var ofFamily: LoadPlaces?

  private let queue: Locked<PlaceQueue>

  init(_ count: Int) { queue = Locked(PlaceQueue(free: count)) }

  /// Takes the next ticket, which has to be returned.
  func takeTicket() -> Int { queue.withLock { $0.takeTicket() } }

  /// Returns a ticket and its place, if it has one; does nothing if it was returned before.
  func `return`(_ ticket: Int) { queue.withLock { $0.return(ticket) }?.resume() }

  /// Waits until a ticket has a place; returns false if this task is cancelled, and the ticket returned.
  func wait(with ticket: Int) async -> Bool {
    await SuspendedTask.wait { task in
      queue.withLock { $0.suspend(task, with: ticket) }
    } onCancel: {
      self.return(ticket)
    }
    return queue.withLock { $0.hasPlace(ticket) }
  }
}

/// Who has a place, and who waits for one.
///
/// Decides only: tasks to be resumed are returned.
struct PlaceQueue {
  private enum Holder {
    case waiting(SuspendedTask?)
    case placed
  }

  private var free: Int
  private var holders: [Int: Holder] = [:]
  private var lastTicket = 0
  /// No ticket up to this one waits.
  private var lastPlaced = 0

  init(free: Int) { self.free = free }

  mutating func takeTicket() -> Int {
    lastTicket += 1
    holders[lastTicket] = free > 0 ? .placed : .waiting(nil)
    if free > 0 { (free, lastPlaced) = (free - 1, lastTicket) }
    return lastTicket
  }

  func hasPlace(_ ticket: Int) -> Bool { if case .placed? = holders[ticket] { true } else { false } }

  /// Records a task that waits; returns false if there is nothing to wait for.
  mutating func suspend(_ task: SuspendedTask, with ticket: Int) -> Bool {
    guard case .waiting? = holders[ticket] else { return false }
    holders[ticket] = .waiting(task)
    return true
  }

  /// Removes a ticket; returns the task that doesn't wait any longer: its own, or that which gets its place.
  mutating func `return`(_ ticket: Int) -> SuspendedTask? {
    switch holders.removeValue(forKey: ticket) {
    case nil: return nil
    case .waiting(let task): return task
    case .placed: break
    }
    while lastPlaced < lastTicket {
      lastPlaced += 1
      guard case .waiting(let next)? = holders[lastPlaced] else { continue }
      holders[lastPlaced] = .placed
      return next
    }
    free += 1
    return nil
  }
}
