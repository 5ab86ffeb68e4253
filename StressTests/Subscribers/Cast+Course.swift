import SubPub

extension Cast {
  /// Waits until everyone was served, ends everything, and gathers what was noted. `others` are members that came and
  /// went meanwhile.
  func course(of stage: Stage, calls: [Call], isNumbered: Bool = true, others: [Member] = []) async -> Course {
    var course = Course()
    course.isNumbered = isNumbered
    let version = stage.version
    let begin = Stamp.now()
    await stage.publisher.drain()
    course.drains = [(version, Span(begin: begin, end: Stamp.now()))]
    course.finalVersion = stage.version
    let held = joined.count + readers.count
    // An actor lives until the job that it runs has ended, the tail of a drain for example.
    let lingering = others.count { $0.mayLinger }
    course.count = (stage.publisher.subscriberCount, held...held + lingering)
    course.histories = await settle(others: others)
    course.calls = calls + reactions
    return course
  }

  /// What subscribers have published inside their callbacks.
  private var reactions: [Call] { joined.flatMap(\.member.log.calls) }

  func settle(others: [Member] = [], endsReaders: Bool = true) async -> [History] {
    for joined in joined { joined.member.settle() }
    for reader in readers {
      reader.member.settle()
      if endsReaders { reader.task.cancel() }
      await reader.task.value
    }
    var histories: [History] = []
    for member in joined.map(\.member) + others { histories.append(await member.history()) }
    for reader in readers { histories.append(await reader.member.history()) }
    return histories
  }
}
