import Dispatch
public import Synchronization

/// What the sources of a derived publisher have sent that it still has to turn into transitions, one at a time.
///
/// The deriving thread makes the first transition. If another thread delivers for a source in the meantime, or the
/// transform publishes to it, what is new waits. The deriving thread also makes the transitions of the first few, but
/// not of all, because others may publish faster than it can follow; nor does a thread that delivers, later, go on for
/// others without end (2.03). From then on, each delivery makes the transitions that wait before it makes its own. If
/// there is no delivery within a millisecond, a thread of Dispatch makes them.
///
/// A value: each operation returns what its caller has to do.
struct DerivedState<Event> {
  private var waiting: [Event] = []
  /// The thread that is making transitions, so that no other may.
  private var maker: ThreadToken?
  /// Whether other threads have sent some of what waits.
  private var isFromOthers = false
  /// How many events the maker may still take for others.
  private var left: Int

  enum Next {
    case make([Event])
    case nothing
    /// Another thread has to make the others.
    case leaveToOthers
  }

  /// How many events of others a thread takes that delivers, and one that derives.
  static var limits: (delivering: Int, deriving: Int) { (Batch.mostForOthers, 16) }

  /// Begins with the thread that derives, whose limit holds from the start.
  init(on thread: ThreadToken) { (maker, isFromOthers, left) = (thread, true, Self.limits.deriving) }

  /// Adds an event; returns whether the caller has to make the transitions that wait.
  mutating func receive(_ event: Event, on thread: ThreadToken) -> Bool {
    waiting.append(event)
    if let maker {
      if maker != thread { isFromOthers = true }
      return false
    }
    (maker, left) = (thread, Self.limits.delivering)
    return true
  }

  /// Returns what the maker has to make next.
  mutating func next() -> Next {
    if waiting.isEmpty {
      (maker, isFromOthers) = (nil, false)
      return .nothing
    }
    let count = isFromOthers ? min(left, waiting.count) : waiting.count
    if count == 0 {
      maker = nil
      return .leaveToOthers
    }
    if isFromOthers { left -= count }
    let taken = Array(waiting.prefix(count))
    waiting.removeFirst(count)
    return .make(taken)
  }

  /// Takes what has arrived before the first transition, which includes it; for the thread that makes that.
  mutating func takeAll() -> [Event] {
    defer { waiting = [] }
    return waiting
  }

  /// Returns whether the caller has to make what another thread has left, to the end: not if a thread is doing so, or
  /// has done so.
  mutating func beginLeft(on thread: ThreadToken) -> Bool {
    if maker != nil || waiting.isEmpty { return false }
    (maker, left) = (thread, .max)
    return true
  }
}

/// The state of a derived publisher that several threads send events to.
@usableFromInline
final class DerivingQueue<Event: Sendable>: Sendable {
  /// Whether the deliveries of a single source need no queue: from when a thread has found nothing waiting.
  ///
  /// Set under the lock. A thread that finds it set acquires the effects of the transitions made before.
  @usableFromInline let isBypassed = Atomic<Bool>(false)
  private let state = Locked(DerivedState<Event>(on: .current))
  /// Makes a transition; holds nothing that goes with the derived publisher, because a thread may make others later.
  private let make = Locked<(@Sendable (Event) -> Void)?>(nil)

  @usableFromInline init() {}

  /// Makes the transitions of the events that wait, and then that of a new one.
  ///
  /// If another thread is making transitions, the new one waits as well. `make` is foreign code.
  @usableFromInline
  func receive(_ new: Event, _ make: (Event) -> Void) {
    if state.withLock({ $0.receive(new, on: .current) }) { makeWaiting(make) }
  }

  /// Returns what waits before the first transition was made; on the thread that makes it.
  func takeAll() -> [Event] { state.withLock { $0.takeAll() } }

  /// Makes the transitions of what waits, after the first one was made; from then on, deliveries make them.
  @usableFromInline
  func begin(_ make: @escaping @Sendable (Event) -> Void) {
    self.make.withLock { $0 = make }
    makeWaiting(make)
  }

  private func makeWaiting(_ make: (Event) -> Void) {
    while true {
      switch next() {
      case .nothing: return
      case .make(let events): events.forEach(make)
      case .leaveToOthers:
        return DispatchQueue.withOwnThread().asyncAfter(deadline: .now() + .milliseconds(1), execute: later)
      }
    }
  }

  /// What another thread does later; weakly, so that a derived publisher that is released before doesn't live on.
  var later: @Sendable () -> Void { { [weak self] in self?.makeLeft() } }

  /// Continues, unless a delivery is doing so or has done so in the meantime.
  func makeLeft() {
    guard let make = make.withLock({ $0 }), state.withLock({ $0.beginLeft(on: .current) }) else { return }
    makeWaiting(make)
  }

  private func next() -> DerivedState<Event>.Next {
    state.withLock { state in
      let next = state.next()
      if case .nothing = next { isBypassed.store(true, ordering: .releasing) }
      return next
    }
  }
}
