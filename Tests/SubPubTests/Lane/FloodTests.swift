import SubPub
import SubPubTesting
import Testing

@Suite("A lane that is flooded as long as it is served")
struct FloodTests {
  @Test("an unbounded subscriber that joins receives everything, and the last state arrives at the others")
  func required_1_03_2_01_unbounded() {
    let (publisher, executor, recorder, flood) = (Publisher<Int>(), ManualExecutor(), Recorder<Int>(), Event())
    // Two states in each delivery, so every later one is overtaken.
    publisher.subscribe(flood, on: .executor(executor), buffering: .latest) { [weak publisher] flood, _ in
      flood.happen()
      guard let publisher, flood.count <= 50 else { return }
      if flood.count == 10 { publisher.subscribe(recorder, on: .executor(executor)) }
      publisher.updateData(2 * flood.count)
      publisher.updateData(2 * flood.count + 1)
    }
    executor.runAll()
    #expect(recorder.states.compactMap(\.value) == Array(19...101))
    #expect(flood.count == 51)
  }
}
