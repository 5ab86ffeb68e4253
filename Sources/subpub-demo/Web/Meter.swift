import SubPub
import Synchronization

/// Measures what snapshots don't tell: how long states take to their subscribers, and who has fallen behind.
///
/// An instrumentation hears of everything that happens at its publishers, on the threads where it happens, so it only
/// counts.
final class Meter: Instrumentation {
  /// Deliveries by how long they took: less than one microsecond, two, four, and so on; the last has the rest.
  typealias Delays = [Int]

  private struct State {
    /// When the states of a publisher were published, the first of which has this version.
    var times: [PublisherID: (first: UInt64, instants: [ContinuousClock.Instant])] = [:]
    /// The version at which each subscription began: what was published before isn't late.
    var beginnings: [Subscription: UInt64] = [:]
    var delays = Delays(repeating: 0, count: 24)
    var fellBehind: [PublisherID: Int] = [:]
  }

  private static let mostInstants = 8_192
  private let state = Mutex(State())

  var delays: Delays { state.withLock { $0.delays } }

  /// How many subscriptions of each publisher have fallen behind.
  var fellBehind: [PublisherID: Int] { state.withLock { $0.fellBehind } }

  func published(_ publication: any AnyPublication) {
    let now = ContinuousClock.now
    state.withLock { state in
      var times = state.times.removeValue(forKey: publication.source) ?? (publication.version, [])
      times.instants.append(now)
      if times.instants.count > Self.mostInstants {
        times.instants.removeFirst(Self.mostInstants / 2)
        times.first += UInt64(Self.mostInstants / 2)
      }
      state.times[publication.source] = times
    }
  }

  func subscribed(_ subscription: Subscription, to source: PublisherID) {
    state.withLock { state in
      let newest = state.times[source].map { $0.first + UInt64($0.instants.count) - 1 }
      state.beginnings[subscription] = newest ?? 0
    }
  }

  func delivered(_ publication: any AnyPublication, to subscription: Subscription, took: Duration) {
    let began = ContinuousClock.now - took
    state.withLock { state in
      guard publication.version > state.beginnings[subscription] ?? 0, let times = state.times[publication.source]
      else { return }
      // A time that isn't known any more was before the others. One that isn't known yet is left out.
      let index = publication.version < times.first ? 0 : Int(publication.version - times.first)
      guard index < times.instants.count else { return }
      let microseconds = UInt64(max(.zero, times.instants[index].duration(to: began)) / .microseconds(1))
      let bucket = min(UInt64.bitWidth - microseconds.leadingZeroBitCount, state.delays.count - 1)
      state.delays[bucket] += 1
    }
  }

  func ended(_ subscription: Subscription, _ end: SubscriptionEnd) {
    state.withLock { state in
      state.beginnings[subscription] = nil
      if end == .fellBehind { state.fellBehind[subscription.source, default: 0] += 1 }
    }
  }
}
