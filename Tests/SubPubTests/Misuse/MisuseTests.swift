import SubPub
import Testing

/// Each test runs a process that stops, and checks its message, because it may have stopped for another reason.
@Suite(
  "A programmer error stops the program, in debug and in release, and the message tells what is wrong",
  .hangLimit)
enum MisuseTests {
  /// What the process printed to its standard error.
  static func message(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }

  @Suite("A transform that changes its own publisher would run forever, so it stops the program")
  struct TransformMisuseTests {
    static let changes: [String: @Sendable (Publisher<Int>) -> Void] = [
      "startLoading": { $0.startLoading() },
      "updateData": { $0.updateData(2) },
      "setError": { $0.setError(Failure.offline) },
      "reset": { $0.reset() },
      "setState": { $0.setState(.loaded(3)) },
      "republish": { $0.republish() },
      "update": { publisher in publisher.update { $0 } },
      "updateData(ifChanged:)": { $0.updateData(ifChanged: 4) },
      "updateData in another publisher's transform": { publisher in
        Publisher<Int>(label: "other").update { state in
          publisher.updateData(2)
          return state
        }
      },
      "update in another publisher's transform": { publisher in
        Publisher<Int>(label: "other").update { state in
          publisher.update { $0 }
          return state
        }
      },
      "updateData in an immediate subscriber of another publisher": { publisher in
        Publisher<Int>(label: "other").subscribe(publisher, on: .immediate) { publisher, _ in publisher.updateData(1) }
      },
    ]

    @Test(
      "a transform that changes it in any way stops the program", arguments: TransformMisuseTests.changes.keys.sorted())
    func required_1_01_transform(change: String) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [change] in
        let publisher = Publisher<Int>(label: "balance")
        publisher.update { state in
          TransformMisuseTests.changes[change]?(publisher)
          return state
        }
      }
      #expect(message(result).contains("on balance changes the same publisher"))
    }
  }

  @Suite("An edit that changes its publisher, or a stream that waits for itself, stops the program")
  struct EditingMisuseTests {
    @Test("an edit that cancels the active load of its manager stops the program", arguments: [true, false])
    func required_5_20_editCancels(byItsCaller: Bool) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [byItsCaller] in
        let bench = LoadBench(initial: 1) { $0.label = "edited" }
        // Waits by now, so that a cancel ends the load at once.
        let caller = bench.refresh()
        try await bench.manager.mutate(
          showing: { number in
            if byItsCaller { caller.cancel() } else { bench.manager.cancel() }
            return number
          }, send: { 3 })
      }
      #expect(message(result).contains("an edit of mutate(showing:send:) on edited changes the same publisher"))
    }

    @Test("a stream that awaits its own manager stops the program", arguments: ["refresh", "value", "end"])
    func required_5_21_awaitsItself(what: String) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [what] in
        let own = Locked<StreamManager<Int>?>(nil)
        let manager = StreamManager<Int>(label: "ticks") { () async throws -> AsyncStream<Int> in
          let manager = own.withLock { $0 }
          switch what {
          case "refresh": _ = await manager?.refresh()
          case "value": _ = try await manager?.publisher.value()
          default: try await manager?.waitForEnd()
          }
          return AsyncStream { $0.finish() }
        }
        own.withLock { $0 = manager }
        await manager.refresh()
      }
      #expect(message(result).contains("The stream of ticks awaits its own manager"))
    }
  }
}
