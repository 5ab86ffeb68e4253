import SubPub

/// A group of delegates, on every context; it has no states, and nothing is replayed.
final class Company: Sendable {
  let delegates = MulticastDelegate<any CallReceiver>()
  let mainDelegates = MainActorMulticastDelegate<any MainCallReceiver>()

  func call(_ number: UInt32) { delegates.call { $0.called(number) } }
  func callMain(_ number: UInt32) { mainDelegates.call { $0.called(number) } }

  func add(at place: Place, by joiner: Int, order: Int) -> Stage.Joined {
    let log = DeliveryLog(at: place)
    let subscriber = PlainWitness(log)
    let (subscription, span) = Span.of { delegates.add(subscriber, on: place.context ?? .background) }
    let member = Member(
      Role(place: place, face: .multicast), log, subscription, joining: span, by: joiner, order: order, replay: nil)
    return Stage.Joined(member: member, subscriber: subscriber)
  }

  @MainActor
  func addOnMain(at place: Place, by joiner: Int, order: Int) -> Stage.Joined {
    let log = DeliveryLog(at: place)
    let subscriber = MainPlainWitness(log)
    let (subscription, span) = Span.of { mainDelegates.add(subscriber) }
    let member = Member(
      Role(place: place, face: .mainMulticast), log, subscription, joining: span, by: joiner, order: order,
      replay: nil)
    return Stage.Joined(member: member, subscriber: subscriber)
  }
}
