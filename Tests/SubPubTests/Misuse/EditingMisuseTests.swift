import SubPub
import SubPubTesting
import Testing

extension MisuseTests {
  @Suite("Edits that change their publisher, and streams that wait for themselves, stop the program")
  struct EditingMisuseTests {
    @Test("an edit that changes the same publisher stops the program")
    func required_5_20_editChangesPublisher() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let manager = LoadingManager<Int>(label: "edited", initial: 1) { 0 }
        let publisher = manager.publisher
        try await manager.mutate(
          showing: { number in
            publisher.updateData(2)
            return number
          }, send: { 3 })
      }
      #expect(message(result).contains("an edit of mutate(showing:send:) on edited changes the same publisher"))
    }

    @Test("an edit that cancels the active load of its manager stops the program", arguments: [true, false])
    func required_5_20_editCancels(byItsCaller: Bool) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [byItsCaller] in
        let loader = EndlessLoader()
        let manager = LoadingManager<Int>(label: "edited", initial: 1) { try await loader.load() }
        let caller = Task { await manager.refresh() }
        for await state in manager.publisher.states() where state.phase == .loading { break }
        try await manager.mutate(
          showing: { number in
            if byItsCaller { caller.cancel() } else { manager.cancel() }
            return number
          }, send: { 3 })
      }
      #expect(message(result).contains("an edit of mutate(showing:send:) on edited changes the same publisher"))
    }

    @Test("a stream that awaits its own manager stops the program", arguments: [true, false])
    func required_5_21_awaitsItself(refreshes: Bool) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [refreshes] in
        let own = Locked<StreamManager<Int>?>(nil)
        let manager = StreamManager<Int>(label: "ticks") { () async throws -> AsyncStream<Int> in
          let manager = own.withLock { $0 }
          if refreshes { _ = await manager?.refresh() } else { _ = try await manager?.publisher.value() }
          return AsyncStream { $0.finish() }
        }
        own.withLock { $0 = manager }
        await manager.refresh()
      }
      #expect(message(result).contains("The stream of ticks awaits its own manager"))
    }
  }
}
