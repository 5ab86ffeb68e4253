import SubPub

/// A subscriber with plain state that only its deliveries touch, and that is read when there are none (rule 2.09).
final class Ledger: TypedSubscriber, @unchecked Sendable {
  private(set) var count = 0
  private(set) var sum = 0

  func receive(_ state: LoadState<Parcel>) {
    count += 1
    sum += state.value?.content ?? 0
  }
}
