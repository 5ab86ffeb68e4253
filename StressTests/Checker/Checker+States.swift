/// What the publisher accepted, and in which order (section 1, 5.01, 5.02).
extension Checker {
  /// From those faces that say the version.
  mutating func learnStates() {
    if course.finalVersion == nil { numberByFirst() }
    for history in course.histories {
      for delivery in history.deliveries where delivery.version != DeliveryRecord.unknownVersion {
        let isKnown = states.learn(delivery)
        expect(isKnown, "1.02", "version \(delivery.version) is not what others were told, says \(history.name)")
      }
    }
  }

  /// Calls have no version: the first history, which has seen them all, gives them one.
  private mutating func numberByFirst() {
    guard !course.histories.isEmpty else { return }
    for index in course.histories[0].deliveries.indices {
      course.histories[0].deliveries[index].version = UInt32(index + 1)
    }
    var beginning = DeliveryRecord.nothing
    beginning.version = 0
    _ = states.learn(beginning)
  }

  /// For faces that hand over a state only.
  mutating func resolveVersions() {
    for index in course.histories.indices {
      for place in course.histories[index].deliveries.indices
      where course.histories[index].deliveries[place].version == DeliveryRecord.unknownVersion {
        let delivery = course.histories[index].deliveries[place]
        guard let version = states.version(of: delivery.number) else {
          let name = course.histories[index].name
          expect(false, "1.02", "number \(delivery.number) was never accepted, says \(name)")
          // Nothing more can be said of this history.
          course.histories[index].deliveries.removeSubrange(place...)
          break
        }
        course.histories[index].deliveries[place].version = version
        let isKnown = states.learn(course.histories[index].deliveries[place])
        expect(isKnown, "1.02", "version \(version) is in another phase, says \(course.histories[index].name)")
      }
    }
  }

  /// Every call is one transition; those made one after the other keep their order.
  func checkCalls() {
    let transitions = course.calls.count { $0.isTransition }
    expect(
      Int(states.last) == transitions, "1.01", "\(transitions) transitions were made, the version is \(states.last)")
    var latest: UInt64 = 0
    for version in states.numbers.indices where states.callBegin[version] != 0 {
      expect(states.callEnd[version] >= latest, "1.02", "version \(version) was published before an earlier version")
      latest = max(latest, states.callBegin[version])
    }
  }

  /// Previous data survives loading and errors, and nothing else does.
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

extension DeliveryRecord {
  /// The state that every publisher begins with.
  static let nothing = DeliveryRecord(
    begin: 0, end: 0, version: 0, number: 0, thread: 0, phase: 0, isInPlace: true, isOnHammer: true)
}
