/// The events of a history in order, and a digest of them that is the same in every process.
struct Trace {
  /// The kind of an event, whose raw value is part of the digest.
  enum Kind: UInt8 {
    case startLoading, updateData, setError, reset, setState, publish, update, updateIfChanged, read, count
    case subscribe, follow, cancel, unsubscribe, iterate, endIterating, drain, cancelAndWait, release, releasePublisher,
      finish
    case returned, begin, end, take, finished, submit, job, enqueue, clock, transform, equal, payloadDies,
      subscriberDies
  }

  struct Event {
    let strand: Int
    let kind: Kind
    let subject: Int
    let detail: Int
  }

  private(set) var events: [Event] = []
  private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325

  /// Adds an event, and returns its step.
  @discardableResult
  mutating func note(_ kind: Kind, _ subject: Int = 0, _ detail: Int = 0, by strand: Int) -> Int {
    let event = Event(strand: strand, kind: kind, subject: subject, detail: detail)
    for part in [
      UInt64(kind.rawValue), UInt64(bitPattern: Int64(strand)), UInt64(bitPattern: Int64(subject)),
      UInt64(bitPattern: Int64(detail)),
    ] {
      digest = (digest ^ part) &* 0x0000_0100_0000_01B3
      digest ^= digest >> 29
    }
    events.append(event)
    return events.count - 1
  }
}

extension Trace: CustomStringConvertible {
  var description: String {
    events.enumerated().map { step, event in
      let strand = event.strand < 0 ? "driver" : "strand \(event.strand)"
      return "  \(step): \(strand) \(event.kind) \(event.subject) \(event.detail)"
    }.joined(separator: "\n")
  }
}
