import SubPub
import Testing

@Suite("What changes while an edit is prepared", .hangLimit)
struct EditPreparationTests {
  @Test("an edit is prepared again as often as another thread has changed the data meanwhile")
  func required_5_20_preparedAgain() async throws {
    let (manager, preparations) = (LoadingManager<[Int]>(initial: [0]) { [] }, Locked(0))
    try await manager.mutate(
      showing: { [manager] data in
        let number = preparations.withLock { count in
          count += 1
          return count
        }
        if number <= 3 { OwnThread.runBlocking { manager.set([number]) } }
        return data + [9]
      },
      sendOnly: { [manager] in
        #expect(preparations.withLock { $0 } == 4)
        #expect(manager.publisher.state == .loaded([3, 9]))
      })
    #expect(manager.publisher.state == .loaded([3, 9]))
  }
}
