import SubPub

/// A protocol for one publisher.
private nonisolated protocol PriceListener: AnyObject, Sendable {
  func priceChanged(_ state: LoadState<Int>)
}

private nonisolated final class Ticker: PriceListener {
  let journal = Journal<LoadState<Int>>()
  func priceChanged(_ state: LoadState<Int>) {
    Here.expectQueue("prices")
    journal.add(state)
  }
}

func explicitPublishers() async {
  let prices = ExplicitPublisher<Int, any PriceListener> { listener, state in listener.priceChanged(state) }
  let queue = Here.makeQueue("prices")
  let ticker = Ticker()
  let subscription = prices.subscribe(ticker, on: .queue(queue))
  publishThree(prices.publisher)
  await prices.publisher.drain()
  expectEqual(ticker.journal.entries, threeStates, "an explicit protocol")
  expectEqual(
    prices.subscribe(ticker, on: .queue(queue), buffering: .latest, ifDuplicate: .ignore), subscription,
    "the standing subscription")
  expectEqual(prices.unsubscribe(ticker), .quiescent, "unsubscribe")
  expectEqual(prices.unsubscribe(ticker), .alreadyCancelled, "unsubscribe again")

  // On a publisher that exists already.
  let publisher = Publisher<Int>()
  publisher.updateData(1)
  let second = ExplicitPublisher<Int, any PriceListener>(publisher) { $0.priceChanged($1) }
  expect(second.publisher === publisher, "the publisher that was given")
  second.subscribe(ticker, on: .queue(queue))
  await publisher.drain()
  expectEqual(ticker.journal.entries.last, .loaded(1), "the replay of a publisher that exists already")
  passed("ExplicitPublisher")
}

/// A main-actor protocol needn't be Sendable.
@MainActor private protocol PriceView: AnyObject {
  func show(_ state: LoadState<Int>)
}

@MainActor private final class PriceLabel: PriceView {
  private(set) var shown: [LoadState<Int>] = []
  func show(_ state: LoadState<Int>) {
    Here.expectMainActor()
    shown.append(state)
  }
}

@MainActor func mainActorExplicitPublishers() async {
  let prices = MainActorExplicitPublisher<Int, any PriceView> { view, state in view.show(state) }
  let label = PriceLabel()
  let subscription = prices.subscribe(label)
  publishThree(prices.publisher)
  expectEqual(label.shown, [], "never before the publish returns")
  await prices.publisher.drain()
  expectEqual(label.shown, threeStates, "an explicit main-actor protocol")
  expectEqual(subscription.context, .main, "on the main actor")
  expectEqual(
    prices.subscribe(label, buffering: .latest, ifDuplicate: .ignore), subscription,
    "the standing subscription")
  expectEqual(prices.unsubscribe(label), .quiescent, "unsubscribe")

  let publisher = Publisher<Int>()
  let second = MainActorExplicitPublisher<Int, any PriceView>(publisher) { $0.show($1) }
  expect(second.publisher === publisher, "the publisher that was given")
  second.subscribe(label, ifDuplicate: .allow)
  await publisher.drain()
  expectEqual(label.shown.last, .unknown, "the replay")
  passed("MainActorExplicitPublisher")
}
