import SubPub
import SubPubTesting
import Support
import Testing

extension StressTests {
  @Test("edits are shown while they are sent, failed ones leave no trace, and in the end the server is right")
  func stochastic_5_20_editing() async {
    await Workload.editing.run(Editing.perform)
  }
}

/// Threads edit one list, load it, cancel loads, and cancel the callers of edits.
enum Editing {
  private static let operations = 60

  @Sendable static func perform(_ round: Round) async -> RoundResult {
    let list = EditedList()
    let tasks = await round.threads.run { index in
      var random = round.random(index)
      return (0..<operations).map { operation in list.act(&random, number: index * operations + operation) }
    }
    for task in tasks.joined() { await task?.value }
    return RoundResult(violations: await list.finish())
  }
}

/// A list of numbers on a server, and a manager that shows it.
private final class EditedList: Sendable {
  private struct Refused: Error {}

  private let server = Guarded<[Int]>([])
  private let found = Guarded<[Violation]>([])
  private let manager: LoadingManager<[Int]>

  init() {
    let server = server
    manager = LoadingManager(initial: [], refreshes: .quiet) {
      await Task.yield()
      return server.with { $0 }
    }
  }

  func act(_ random: inout SeededGenerator, number: Int) -> Task<Void, Never>? {
    switch random.draw(8) {
    case 0: return Task { [manager] in await manager.refresh() }
    case 1:
      manager.cancel()
      return nil
    case 2:
      let task = Task { await edit(number, answers: true, isRefused: false, pauses: 2) }
      task.cancel()
      return task
    default:
      let (answers, isRefused, pauses) = (random.draw(2) == 0, random.draw(3) == 0, random.draw(4))
      return Task { await edit(number, answers: answers, isRefused: isRefused, pauses: pauses) }
    }
  }

  private func edit(_ number: Int, answers: Bool, isRefused: Bool, pauses: Int) async {
    let showing: @Sendable ([Int]) -> [Int] = { $0.contains(number) ? $0 : $0 + [number] }
    let send: @Sendable () async throws -> [Int] = { [self] in
      expectShown(number, "when it is sent")
      for _ in 0..<pauses { await Task.yield() }
      expectShown(number, "while it is sent")
      if isRefused { throw Refused() }
      return server.with { list in
        list.append(number)
        return list
      }
    }
    do {
      if answers {
        try await manager.mutate(showing: showing, send: send)
      } else {
        try await manager.mutate(showing: showing, sendOnly: { _ = try await send() })
      }
    } catch is Refused {
      if shows(number) {
        found.with { $0.append(Violation(rule: "5.20", text: "\(number) was refused, and is shown")) }
      }
    } catch {
      // Its caller was cancelled.
    }
  }

  private func shows(_ number: Int) -> Bool { manager.publisher.state.value?.contains(number) ?? false }

  private func expectShown(_ number: Int, _ time: String) {
    if !shows(number) { report("\(number) isn't shown \(time)") }
  }

  private func report(_ text: String) { found.with { $0.append(Violation(rule: "5.20", text: text)) } }

  /// Returns what was found, once no edit is pending.
  func finish() async -> [Violation] {
    // Edits whose callers were cancelled may still be on their way.
    for await publication in manager.publisher.publications(buffering: .latest) {
      if publication.origin != .edited { break }
    }
    let last = await manager.refresh(restarting: true)
    let list = server.with { $0 }
    if last.value != list || manager.publisher.current.origin == .edited {
      report("\(list) is on the server, and \(last) is shown")
    }
    return found.with { $0 }
  }
}
