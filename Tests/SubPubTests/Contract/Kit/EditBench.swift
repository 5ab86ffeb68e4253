import SubPub
import SubPubTesting

/// A manager of numbers, and a server for its edits, step by step.
///
/// An edit appends a digit, so a number shows which edits are folded over it, and in which order.
final class EditBench: Sendable {
  let loads: LoadBench
  /// The server that answers with its data, and the one that only accepts.
  let answering = Source<Int>(isStubborn: true)
  let accepting = Source<Void>(isStubborn: true)

  init(_ loads: LoadBench = LoadBench(initial: 5)) { self.loads = loads }

  deinit {
    answering.close()
    accepting.close()
    loads.run()
  }

  var manager: LoadingManager<Int> { loads.manager }
  var publisher: Publisher<Int> { manager.publisher }
  var states: [LoadState<Int>] { loads.states }
  var origin: DataOrigin? { publisher.current.origin }

  /// Starts an edit whose server answers, and runs it until it waits or has ended.
  @discardableResult func edit(_ digit: Int) -> Caller<Result<Int, any Error>> {
    loads.call { [manager, answering] in
      do {
        return .success(
          try await manager.mutate(showing: { $0 * 10 + digit }, send: { try await answering.load() }))
      } catch { return .failure(error) }
    }
  }

  /// Starts an edit whose server answers with a digit, which takes the place of the edit's.
  @discardableResult func merge(
    _ digit: Int, _ noteMerging: @escaping @Sendable () -> Void = {}
  ) -> Caller<Result<Int, any Error>> {
    loads.call { [manager, answering] in
      do {
        return .success(
          try await manager.mutate(showing: { $0 * 10 + digit }, send: { try await answering.load() }) { data, answer in
            noteMerging()
            return data * 10 + answer
          })
      } catch { return .failure(error) }
    }
  }

  /// Starts an edit whose server only accepts.
  @discardableResult func note(_ digit: Int) -> Caller<Result<Void, any Error>> {
    loads.call { [manager, accepting] in
      do {
        return .success(
          try await manager.mutate(showing: { $0 * 10 + digit }, sendOnly: { try await accepting.load() }))
      } catch { return .failure(error) }
    }
  }

  @discardableResult func answer(_ call: Int, _ value: Int) -> LoadState<Int> {
    answering.answer(call, .success(value))
    return loads.run()
  }

  @discardableResult func refuse(_ call: Int) -> LoadState<Int> {
    answering.fail(call, Failure.denied)
    return loads.run()
  }

  @discardableResult func accept(_ call: Int) -> LoadState<Int> {
    accepting.answer(call, .success(()))
    return loads.run()
  }
}
