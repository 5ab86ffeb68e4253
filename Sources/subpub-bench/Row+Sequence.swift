import SubPub

extension Row {
  /// States through asynchronous sequences.
  static func sequences(_ consumers: Int) -> Row {
    let rounds = 200_000 / consumers
    return Row(name: "sequences, \(consumers)", rivalName: "AsyncStream for each", operations: rounds * consumers) {
      let publisher = Publisher<[Int]>()
      return await ContinuousClock().measure {
        await withTaskGroup { group in
          for _ in 0..<consumers {
            // The iterator subscribes when it is made: here, before anything is published.
            let states = publisher.states()
            group.addTask { await consume(states, rounds + 1) }
          }
          while publisher.subscriberCount < consumers { await Task.yield() }
          for _ in 0..<rounds { publisher.updateData(payload) }
        }
      }
    } rival: {
      await ContinuousClock().measure {
        await withTaskGroup { group in
          let streams = (0..<consumers).map { _ in AsyncStream<LoadState<[Int]>>.makeStream() }
          for (stream, _) in streams { group.addTask { await consume(stream, rounds) } }
          for _ in 0..<rounds {
            for (_, continuation) in streams { continuation.yield(.loaded(payload)) }
          }
        }
      }
    }
  }

  private static func consume(_ states: some AsyncSequence<LoadState<[Int]>, Never>, _ expected: Int) async {
    var count = 0
    for await _ in states {
      count += 1
      if count == expected { return }
    }
    fatalError("got \(count) of \(expected)")
  }
}
