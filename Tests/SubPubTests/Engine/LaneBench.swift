#if DEBUG
  import SubPub
  import SubPubTesting
  import Testing

  @testable import SubPub

  extension Lane {
    /// Releases the subscriptions, which hold the lane, whatever its phase is.
    func removeEverything() {
      var effects = Effects()
      phase.enter(.idle)
      close(as: .publisherEnded, &effects)
      for slot in 0..<inTurn.subscriptions.count where inTurn.subscriptions[slot].slot >= 0 {
        vacate(inTurn.subscriptions[slot], &effects)
      }
      compact()
    }
  }

  /// A lane, its subscriptions, and the thread that serves it, in one place.
  struct LaneBench: CustomStringConvertible {
    private let registry = PublisherRegistry(PublisherID(label: nil), initial: nil)
    private let deaths = Deaths()
    private let recorder = Recorder<Int>()
    private(set) var lane: Lane
    private var (subscriptions, batch, version) = ([Subscription](), Batch(), UInt64(0))
    /// The state whose round is under way, and the slot of the subscription that it visits next.
    private var round: (state: QueuedState, slot: Int)?
    private var (notes, isForeign, drained) = ([String](), false, 0)

    init() { lane = Lane(.background, of: registry, newest: 0) }

    private var newest: QueuedState {
      QueuedState(Publication<Int>(.unknown, source: registry.source, provenance: nil), version: version)
    }

    mutating func perform(_ command: String) {
      let words = command.split(separator: " ")
      let number = words.count > 1 ? Int(words[1]) : nil
      var effects = Effects()
      if isForeign { effects.call {} }
      defer { drained += effects.takeArrived().count }
      switch words[0] {
      case "immediate":
        lane = Lane(.immediate, words.count > 1 ? .latest : .unbounded, of: registry, newest: 0)
      case "elsewhere", "here": lane.servingThread = words[0] == "here" ? ThreadToken(bits: 0) : .current
      case "latest": lane = Lane(.background, .latest, of: registry, newest: 0)
      case "newest": lane = Lane(.background, .newest(number ?? 0), of: registry, newest: 0)
      case "ending": lane = Lane(.background, .ending(number ?? 0), of: registry, newest: 0)
      case "waiting": lane = Lane(.background, of: registry, newest: 0, behind: 1)
      case "foreign": isForeign = true
      case "join", "follow":
        let follows = words[0] == "follow"
        let captured = deaths.makeToken()
        let request = SubscriptionRequest(
          recorder, through: SubscriberInterface(follows ? .derivation : .closure), on: lane.context,
          buffering: lane.policy
        ) { _, _ in withExtendedLifetime(captured) {} }
        let new = Subscription(request, in: lane, from: follows ? version + 1 : version)
        subscriptions.append(new)
        note(lane.join(new, request.deliver, replay: follows ? nil : newest, newest: version, &effects))
      case "publish":
        for _ in 0..<(number ?? 1) {
          version += 1
          note(lane.append(newest, &effects))
        }
      case "served": (round, batch.queue) = (nil, StateQueue())
      case "serve":
        (round, batch) = (nil, Batch())
        notes.removeAll { $0 == "left" }
        if lane.begin(&batch, newest, &effects) { startRound() }
      case "next":
        switch lane.takeNext(&batch, newest, &effects) {
        case .serve: startRound()
        case .stop: break
        case .leaveToOthers: notes.append("left")
        }
      case "rest": _ = lane.phase.finishWithoutTurn()
      case "begin", "visit", "end":
        guard let (state, slot) = round else {
          Issue.record("nothing is under way")
          return
        }
        let subscription = subscriptions[slot]
        if words[0] == "end" { return notes.append("\(subscription.gate.end(state.version))") }
        let hasBegun = subscription.gate.begin(state.version, from: subscription.gate.reading)
        #expect(hasBegun)
        if words[0] == "begin" { return }
        let isOpen = subscription.gate.end(state.version)
        #expect(isOpen)
        round = slot + 1 == batch.snapshot?.count ? nil : (state, slot + 1)
      case "handBack":
        if let (state, slot) = round.take() { batch.queue.prepend(state, from: slot) }
        _ = lane.handBack(&batch, &effects)
      case "cancel":
        let subscription = subscriptions[number ?? 0]
        if let found = subscription.gate.close(at: version, as: .cancelled) {
          lane.remove(subscription, found: found, &effects)
          lane.dropUnneeded(&effects)
        }
      case "close": lane.close(as: .publisherEnded, &effects)
      case "countDown": lane.countDown(&effects)
      case "drain":
        var waiters = Waiters()
        if !lane.addDrain(waiters.add(missing: 1), upTo: version) { notes.append("nothing to wait for") }
      default: Issue.record("There is no command \(command)")
      }
    }

    private mutating func startRound() {
      let slot = batch.queue.firstSlot
      round = batch.queue.popFirst().map { ($0, slot) }
    }

    private mutating func note(_ snapshot: SubscriptionList.Snapshot?) {
      if let snapshot { notes = ["here \(snapshot.count)"] }
    }

    var description: String {
      let requests = [(LanePhase.Requests.more, " more"), (.attention, " attention")]
      let phase = "\(lane.phase.current)" + requests.filter { lane.phase.hasRequest($0.0) }.map(\.1).joined()
      var words = [phase]
      if let (state, slot) = round { words.append("at \(state.version)" + Self.text(slot)) }
      if !batch.queue.isEmpty { words.append("rest\(Self.text(batch.queue))") }
      words += notes
      if !lane.inTurn.pending.isEmpty { words.append("pending\(Self.text(lane.inTurn.pending))") }
      if let slot = lane.inTurn.currentFrom { words.append("current" + Self.text(slot)) }
      if drained > 0 { words.append("drained \(drained)") }
      if deaths.count > 0 { words.append("released") }
      return words.joined(separator: ", ")
    }

    private static func text(_ slot: Int) -> String { slot > 0 ? " from slot \(slot)" : "" }

    private static func text(_ states: StateQueue) -> String {
      if states.count > 10, let first = states.firstVersion, let last = states.last {
        return " \(first)...\(last.version)"
      }
      var (states, text, slot) = (states, "", states.firstSlot)
      while let state = states.popFirst() {
        text += " \(state.version)" + Self.text(slot)
        slot = 0
      }
      return text
    }
  }
#endif
