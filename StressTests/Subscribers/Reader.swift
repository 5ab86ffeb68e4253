import SubPub

/// A task that iterates one sequence.
struct Reader: Sendable {
  let member: Member
  let task: Task<Void, Never>

  /// Subscribes now, and leaves the loop after `limit` states.
  init(_ face: Face, _ policy: BufferingPolicy, of stage: Stage, by joiner: Int, order: Int, limit: Int = .max) {
    let role = Role.sequence(face, policy)
    let log = DeliveryLog(at: role.place)
    let earliest = stage.version
    if face == .values {
      let (iterator, span) = Span.of { stage.publisher.values(buffering: policy).makeAsyncIterator() }
      member = Member(
        role, log, nil, joining: span, by: joiner, order: order, replay: earliest...max(earliest, stage.version))
      task = Self.read(iterator, member, limit)
    } else {
      let (iterator, span) = Span.of { stage.publisher.states(buffering: policy).makeAsyncIterator() }
      member = Member(
        role, log, nil, joining: span, by: joiner, order: order, replay: earliest...max(earliest, stage.version))
      task = Self.read(iterator, member, limit)
    }
  }

  private static func read(
    _ start: sending StateSequence<Payload>.Iterator, _ member: Member, _ limit: Int
  ) -> Task<Void, Never> {
    Task.detached {
      var iterator = start
      var count = 0
      while count < limit {
        guard let state = await iterator.next() else { break }
        member.log.record(state)
        count += 1
      }
      // Who leaves the loop has the rest of the buffer until the iterator is gone.
      guard count < limit else { return }
      let counts = Counts(iterator.statistics)
      member.note { $0.closing = counts }
    }
  }

  private static func read(
    _ start: sending ValueSequence<Payload>.Iterator, _ member: Member, _ limit: Int
  ) -> Task<Void, Never> {
    Task.detached {
      var iterator = start
      var count = 0
      while count < limit, let value = await iterator.next() {
        member.log.record(number: value.number)
        count += 1
      }
    }
  }
}
