/// The states that the publisher accepted, and their order (section 1, 5.01, 5.02).
extension Checker {
  /// Learns states from interfaces that pass the version.
  mutating func learnStates() {
    if history.finalVersion == nil { numberByFirst() }
    for subscription in history.subscriptions {
      for delivery in subscription.deliveries where delivery.version != Delivery.unknownVersion {
        learn(delivery, of: subscription)
      }
    }
  }

  private mutating func learn(_ delivery: Delivery, of subscription: SubscriptionHistory) {
    let version = delivery.version
    let isSame = states.learn(version: version, number: delivery.number, phase: delivery.phase)
    expect(isSame, "1.02", "version \(version) isn't what others received", of: subscription)
  }

  /// Gives calls of delegates a version: their place in the first subscription, which has received all of them.
  private mutating func numberByFirst() {
    guard !history.subscriptions.isEmpty else { return }
    for index in history.subscriptions[0].deliveries.indices {
      history.subscriptions[0].deliveries[index].version = UInt32(index + 1)
    }
    _ = states.learn(version: 0, number: 0, phase: 0)
  }

  /// Finds the versions for interfaces that pass only a state.
  mutating func resolveVersions() {
    for index in history.subscriptions.indices {
      for place in history.subscriptions[index].deliveries.indices {
        var delivery = history.subscriptions[index].deliveries[place]
        guard delivery.version == Delivery.unknownVersion else { continue }
        guard let version = states.version(of: delivery.number) else {
          expect(false, "1.02", "number \(delivery.number) was never accepted", of: history.subscriptions[index])
          // Nothing more can be checked after it.
          history.subscriptions[index].deliveries.removeSubrange(place...)
          break
        }
        delivery.version = version
        history.subscriptions[index].deliveries[place].version = version
        learn(delivery, of: history.subscriptions[index])
      }
    }
  }

  /// Every call is one transition; calls that follow each other keep their order.
  func checkCalls() {
    let transitions = history.calls.count { $0.isTransition }
    expect(
      Int(states.last) == transitions, "1.01", "\(transitions) transitions were made, the version is \(states.last)")
    var latest: UInt64 = 0
    for version in states.numbers.indices where states.callBegin[version] != 0 {
      expect(states.callEnd[version] >= latest, "1.02", "version \(version) was published before an earlier version")
      latest = max(latest, states.callBegin[version])
    }
  }

  /// Previous data survives loading and errors, and no other data appears.
  func checkLoadStates() {
    for version in states.numbers.indices.dropFirst() {
      let (number, before) = (states.numbers[version], states.numbers[version - 1])
      guard number != AcceptedStates.unknown, before != AcceptedStates.unknown else { continue }
      if states.phases[version] == 0 {
        expect(number == 0, "5.02", "version \(version) is unknown and has number \(number)")
      } else if number != before {
        let isNew = number != 0 && states.version(of: number) == UInt32(version)
        expect(isNew, "5.01", "version \(version) has number \(number) after \(before)")
      }
    }
  }
}
