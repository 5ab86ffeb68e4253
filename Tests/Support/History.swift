package import SubPub

/// Everything that happened at one publisher: a value, which a test can also write by hand.
package struct History: Sendable {
  package var subscriptions: [SubscriptionHistory] = []
  /// Every call that publishes.
  package var calls: [Call] = []
  /// The publisher's version at the end.
  ///
  /// Nil for delegates, whose calls have no version: the first subscription then defines the order for the others.
  package var finalVersion: UInt32?
  /// Each new value has a number of its own, so the value that a state keeps must be the one before.
  package var hasUniqueValues = true
  /// Only threads of the test publish, so immediate deliveries run on no other threads.
  package var isPublishedByTestThreads = true
  /// The publisher was released while states were pending.
  package var isEnded = false
  /// For each call of `drain()`, the publisher's version at the call.
  package var drains: [(version: UInt32, span: Span)] = []
  /// How many subscribers the publisher counted at rest, and how many it may have counted.
  ///
  /// The lower bound counts the subscribers that the test holds, the upper one also those that may be alive.
  package var count: (found: Int, living: ClosedRange<Int>)?

  package init() {}
}

/// The way in which a subscriber meets the publisher.
package enum Interface: CaseIterable, Sendable {
  case typed, untyped, mainTyped, mainUntyped, handler, mainHandler, actorHandler
  case explicit, mainExplicit, states, values, publications, multicast, mainMulticast

  package var isSequence: Bool { self == .states || self == .values || self == .publications }
}

/// Everything that is known of one subscription at the end.
package struct SubscriptionHistory: Sendable {
  /// The kind of context; nil for a task that iterates.
  package var context: ContextKind? = .background
  package var interface = Interface.typed
  package var policy = BufferingPolicy.unbounded
  /// Subscriptions with the same number and the same policy share a lane; one without a number has its own.
  package var lane: Int?
  /// A number of whoever subscribed, for messages.
  package var joiner = 0
  package var joining = Span(begin: 0, end: 0)
  /// The versions of the publisher before and after the subscribe call: the replay is one of them.
  ///
  /// Nil if nothing is replayed.
  package var replay: ClosedRange<UInt32>?
  package var deliveries: [Delivery] = []
  /// How often a delivery began inside another one of the same subscription.
  package var overlaps = 0
  package var cancels: [CancelRecord] = []
  /// When something other than its own cancels may have ended it: a release, a replacement, the publisher's end.
  package var mayHaveEndedSince: UInt64?
  /// When the subscriber's `deinit` ran.
  package var death: UInt64?
  /// The test released the subscriber, and everything has come to rest since.
  package var isReleased = false
  /// When the `deinit` of its context, an actor, ran.
  package var contextDeath: UInt64?
  /// Statistics read meanwhile; at rest, while it was active; and after its end.
  package var readings: [Counts] = []
  package var settled: Counts?
  package var closing: Counts?
  /// How often the same object has subscribed again: each time it may get a state twice, or miss some.
  package var replacements = 0
  /// One of several subscriptions of one object, whose deliveries can't be told apart.
  ///
  /// They are in the history that has the replacements.
  package var sharesDeliveries = false
  /// It stayed until the end, so it must have the last state.
  package var isLasting = false

  package init() {}

  /// For messages.
  var name: String {
    "\(interface) on \(context.map { "\($0)" } ?? "a task"), \(policy), joined by \(joiner) at \(joining.begin)"
  }

  /// Whether nothing may have ended it before the given moment.
  func isActive(until moment: UInt64) -> Bool {
    isLasting || mayHaveEndedSince ?? .max > moment && cancels.allSatisfy { $0.span.begin > moment }
  }
}

/// One delivery, as the subscriber saw it: 32 bytes.
package struct Delivery: Sendable {
  package var begin: UInt64
  package var end: UInt64
  /// `unknownVersion` where the interface passes only a state.
  package var version: UInt32
  /// The number of the value, or of the previous one; 0 if there is none.
  package var number: UInt32
  package var thread: UInt32
  package var phase: UInt8
  /// It ran on the context of the subscription.
  package var isInPlace: Bool
  /// It ran on a thread of the test.
  package var isOnTestThread: Bool

  package static let unknownVersion = UInt32.max

  package init(
    begin: UInt64, end: UInt64, version: UInt32 = unknownVersion, number: UInt32, thread: UInt32, phase: UInt8,
    isInPlace: Bool = true, isOnTestThread: Bool = true
  ) {
    (self.begin, self.end, self.version, self.number) = (begin, end, version, number)
    (self.thread, self.phase, self.isInPlace, self.isOnTestThread) = (thread, phase, isInPlace, isOnTestThread)
  }
}

/// One call that publishes.
package struct Call: Sendable {
  package var span: Span
  /// The number that it published; 0 if it has none of its own.
  package var number: UInt32
  /// False if the call had to leave the state as it was.
  package var isTransition: Bool

  package init(span: Span, number: UInt32, isTransition: Bool = true) {
    (self.span, self.number, self.isTransition) = (span, number, isTransition)
  }
}

/// One cancel, and its result.
package struct CancelRecord: Sendable {
  package enum Answer: Hashable, Sendable {
    case outcome(CancelOutcome)
    /// `cancelAndWait()` returned.
    case waited
  }

  package var span: Span
  package var answer: Answer
  package var thread: UInt32
  /// Called on the subscription's own serial context, or inside its callback (3.03).
  package var isOnOwnContext = false
  /// A delivery was certainly active on another thread during the whole call.
  package var mustBeInFlight = false
  /// How many deliveries had been counted before the call, and how many states were pending after it.
  package var deliveredBefore: Int?
  package var pendingAfter: Int?

  package init(span: Span, answer: Answer, thread: UInt32) {
    (self.span, self.answer, self.thread) = (span, answer, thread)
  }
}

/// A subscription's statistics, as a value that tests can make.
package struct Counts: Sendable {
  package var delivered: Int
  package var skipped = 0
  package var pending = 0
  package var highWater: Int
  package var lastVersion: UInt32?

  package init(delivered: Int, highWater: Int, lastVersion: UInt32?) {
    (self.delivered, self.highWater, self.lastVersion) = (delivered, highWater, lastVersion)
  }

  package init(_ statistics: Subscription.Statistics) {
    (delivered, skipped, pending) = (statistics.delivered, statistics.skipped, statistics.pending)
    (highWater, lastVersion) = (statistics.highWater, statistics.lastVersion.map { UInt32($0) })
  }
}
