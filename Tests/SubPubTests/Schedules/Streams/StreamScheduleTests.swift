import SubPub
import Testing

/// As in `ScheduleTests`, a seed decides which thread is next: also while a notice about listeners is on its way.
@Suite("Streams and polls know their listeners at every moment", .timeLimit(.minutes(240)))
struct StreamScheduleTests {
  private func run(_ part: StreamSimulation.Part, _ seeds: SeedRange = SeedRange()) async -> Report {
    await Campaign.run("a stream, \(part)", seeds, workers: 3) { StreamSimulation($0, part) }
  }

  @Test("whoever has subscribed finds the stream running")
  func stochastic_5_21_listening() async { await run(.listening).expectSuccess() }

  @Test("whoever waits for the end of a stream that ends by itself is told of it")
  func stochastic_5_21_waiting() async { await run(.waiting).expectSuccess() }

  @Test("a poll that waits for a listener loads when one has come, at whatever moment that was")
  func stochastic_5_17_polling() async {
    await Campaign.run("a poll", SeedRange(), workers: 3) { PollSimulation($0) }.expectSuccess()
  }

  @Test("the same seed makes the same history of a stream")
  func required_7_02_sameStreams() async {
    let seeds = SeedRange(first: 7, count: 50)
    for part in [StreamSimulation.Part.listening, .waiting] {
      let (first, second) = (await run(part, seeds), await run(part, seeds))
      #expect(first.digest == second.digest)
      #expect(first.distinct == 50)
    }
  }
}
