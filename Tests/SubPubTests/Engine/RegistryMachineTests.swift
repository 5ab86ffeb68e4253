#if DEBUG
  import Dispatch
  import Foundation
  import SubPub
  import SubPubTesting
  import Testing

  @testable import SubPub

  @Suite("A publisher's state decides in its turns what its tables say")
  struct RegistryMachineTests {
    @Test(
      "subscriptions join the lanes of their contexts, unless they are duplicates",
      arguments: [
        "A immediate": "version 1, open 0, immediate serving",
        "A immediate; B immediate": "version 1, open 0 1, immediate serving more",
        "A pool; B pool": "version 1, open 0 1, background scheduled, background scheduled",
        "A queue; B queue; C immediate": "version 1, open 0 1 2, queue(shared) scheduled, immediate serving",
        "C immediate; A queue": "version 1, open 0 1, queue(shared) scheduled, immediate serving",
        "A immediate; rest; publish; A immediate ignoring": "version 2, open 0, immediate serving, is 0",
        "A queue; A pool ignoring": "version 1, open 0, queue(shared) scheduled, is 0",
        "A queue; B pool ignoring": "version 1, open 0 1, queue(shared) scheduled, background scheduled",
        "A pool; A pool": "version 1, open 0 1, background scheduled, background scheduled",
        "A pool; cancel 0": "version 1, background scheduled, quiescent",
        "A immediate; rest; cancel 0": "version 1, immediate idle, quiescent",
        "A queue; B pool; C pool; serve 0; cancel 0":
          "version 1, open 1 2, queue(shared) serving attention, background scheduled, background scheduled, leaving 1, under way",
      ])
    func model_2_01_2_06_joining(sequence: String, expected: String) { check(sequence, expected) }

    @Test(
      "a replacement waits for deliveries of what it replaces, unless they are in its own lane",
      arguments: [
        "A pool; A pool replacing": "version 1, open 1, background scheduled, background scheduled",
        "A pool; serve 0; A queue replacing":
          "version 1, open 1, background serving attention, queue(shared) idle behind 1, leaving 1",
        "A pool; serve 0; A queue replacing; end 0":
          "version 1, open 1, background serving attention, queue(shared) scheduled",
        "A queue; serve 0; A queue replacing": "version 1, open 1, queue(shared) serving more attention, leaving 1",
        "A queue; serve 0; A queue replacing; end 0": "version 1, open 1, queue(shared) serving more attention",
        "A pool; serve 0; A queue replacing; A immediate replacing":
          "version 1, open 2, background serving attention, immediate idle behind 1, leaving 1",
        "A pool; serve 0; A queue replacing; A immediate replacing; end 0":
          "version 1, open 2, background serving attention, immediate scheduled",
        "A pool; A queue; serve 0; serve 1; A immediate replacing; end 0":
          "version 1, open 2, background serving attention, queue(shared) serving attention, immediate idle behind 1, leaving 1",
        "A pool; A queue; serve 0; serve 1; A immediate replacing; end 0; end 1":
          "version 1, open 2, background serving attention, queue(shared) serving attention, immediate scheduled",
        "A pool; serve 0; cancel 0; A queue":
          "version 1, open 1, background serving attention, queue(shared) scheduled, leaving 1, under way",
        "A pool; serve 0; cancel 0; A queue replacing":
          "version 1, open 1, background serving attention, queue(shared) idle behind 1, leaving 1, under way",
        "A pool; serve 0; cancel 0; B queue replacing":
          "version 1, open 1, background serving attention, queue(shared) scheduled, leaving 1, under way",
        "A pool; B queue; C immediate; D pool replacing type":
          "version 1, open 3, background scheduled, queue(shared) scheduled, background scheduled, immediate serving attention",
        "A pool; serve 0; cancel 0; wait 0; end 0": "version 1, background serving attention, not awaited, under way",
        "A pool; serve 0; cancel 0; cancel 0":
          "version 1, background serving attention, leaving 1, under way, cancelled before",
      ])
    func model_2_06_3_02_replacing(sequence: String, expected: String) { check(sequence, expected) }

    @Test(
      "after the publisher's end, lanes deliver what is pending and then go",
      arguments: [
        "end": "version 1, no state, ended",
        "A immediate; rest; end": "version 1, no state, ended",
        "A immediate; end": "version 1, no state, ended, open 0, immediate serving more",
        "A pool; end": "version 1, no state, ended, open 0, background scheduled",
        "A pool; serve 0; publish; end; end 0; next 0": "version 2, no state, ended, open 0, background serving",
        "A pool; serve 0; end; end 0; next 0": "version 1, no state, ended",
        "A pool; serve 0; end; cancel 0; end 0; next 0": "version 1, no state, ended, under way",
        "sequence; end": "version 1, ended",
        "sequence; end; sequence leaves": "version 1, no state, ended",
        "A pool; end; B pool": "version 1, no state, ended, open 0, background scheduled",
        "A queue; end; B queue": "version 1, no state, ended, open 0 1, queue(shared) scheduled",
        "A immediate; rest; end; B immediate": "version 1, no state, ended",
        "sequence; end; A pool": "version 1, ended, open 0, background scheduled",
        "sequence; end; A immediate": "version 1, ended, open 0, immediate serving more",
        "A pool; end; context gone 0": "version 1, no state, ended",
        "A pool; context gone 0": "version 1",
        "A pool; context gone 0; context gone 0": "version 1",
      ])
    func model_3_06_2_05_ending(sequence: String, expected: String) { check(sequence, expected) }

    @Test(
      "a context has a lane for each buffering policy",
      arguments: [
        "A queue; B queue latest": "version 1, open 0 1, queue(shared) scheduled, queue(shared) scheduled",
        "A queue latest; B queue latest": "version 1, open 0 1, queue(shared) scheduled",
        "A immediate; B immediate latest": "version 1, open 0 1, immediate scheduled, immediate serving",
        "A immediate latest; B immediate latest": "version 1, open 0 1, immediate scheduled",
        "A immediate; B immediate most; C immediate most":
          "version 1, open 0 1 2, immediate scheduled, immediate serving",
        "A immediate most; cancel 0": "version 1, immediate scheduled, quiescent",
        "A queue; serve 0; A queue replacing latest":
          "version 1, open 1, queue(shared) serving attention, queue(shared) idle behind 1, leaving 1",
      ])
    func model_2_04_2_07_policies(sequence: String, expected: String) { check(sequence, expected) }

    @Test(
      "the last state stays until the lanes that deliver it have gone",
      arguments: [
        "A queue latest; end": "version 1, ended, open 0, queue(shared) scheduled",
        "A queue latest; publish; serve 0; end": "version 2, no state, ended, open 0, queue(shared) serving more",
        "A queue latest; cancel 0; end": "version 1, no state, ended, queue(shared) scheduled, quiescent",
        "A queue latest; B queue latest; cancel 0; end": "version 1, ended, open 1, queue(shared) scheduled, quiescent",
        "A queue latest; publish; serve 0; end; end 0; next 0": "version 2, no state, ended",
        "A queue latest; end; cancel 0; serve 0": "version 1, no state, ended, quiescent",
        "A queue latest; B queue latest; end; context gone 0": "version 1, no state, ended",
        "A pool; serve 0; A queue replacing latest; end":
          "version 1, ended, open 1, background serving more attention, queue(shared) idle behind 1, leaving 1",
        "A pool; serve 0; A queue replacing latest; end; end 0":
          "version 1, ended, open 1, background serving more attention, queue(shared) scheduled",
      ])
    func model_3_06_2_04_lastState(sequence: String, expected: String) { check(sequence, expected) }

    @Test(
      "the owner is told of what others publish, and whoever asked for it when listeners come and go",
      arguments: [
        "owner; publish": "version 2, told",
        "owner; valid; publish": "version 2, told",
        "owner; valid; publish keeping": "version 2, told, invalidated",
        "owner; valid; publish own": "version 2, invalidated",
        "valid; publish": "version 2, invalidated",
        "notices; A pool": "version 1, open 0, background scheduled, notice 1: listened to",
        "notices; A pool; B pool":
          "version 1, open 0 1, background scheduled, background scheduled, notice 1: listened to",
        "notices; A pool; B pool; cancel 0; cancel 1":
          "version 1, background scheduled, background scheduled, quiescent, quiescent, notice 2: nobody",
        "notices; A pool; end": "version 1, no state, ended, open 0, background scheduled, notice 2: nobody",
        "notices; part pool": "version 1, open 0, background scheduled, notice 0: nobody",
        "notices of all; part pool; cancel 0": "version 1, background scheduled, quiescent, notice 2: nobody",
      ])
    func model_5_03_5_20_owners(sequence: String, expected: String) { check(sequence, expected) }

    private func check(_ sequence: String, _ expected: String) {
      var bench = RegistryBench()
      for command in sequence.components(separatedBy: "; ") { bench.perform(command) }
      #expect(bench.description == expected, "\(sequence)")
      for subscription in bench.subscriptions { subscription.lane.removeEverything() }
    }
  }

  /// A publisher's state, and the threads that serve its lanes, in one place.
  private struct RegistryBench: CustomStringConvertible {
    private let registry = PublisherRegistry(PublisherID(label: nil), initial: nil)
    private let objects = (0..<4).map { _ in Recorder<Int>() }
    private let queue = DispatchQueue(label: "shared")
    private let owner = Owner()
    private var state: RegistryState
    private(set) var subscriptions: [Subscription] = []
    private var (batches, waiters) = ([Int: Batch](), [WaiterID]())
    private var notes: [String] = []

    init() {
      state = RegistryState(initial: Self.publication(at: registry))
      state.newest = 1
    }

    private static func publication(at registry: PublisherRegistry) -> Publication<Int> {
      Publication<Int>(.unknown, source: registry.source, provenance: nil)
    }

    private func context(_ name: Substring) -> DeliveryContext {
      switch name {
      case "immediate": .immediate
      case "queue": .queue(queue)
      default: .background
      }
    }

    mutating func perform(_ command: String) {
      let words = command.split(separator: " ")
      let number = words.last.flatMap { Int($0) } ?? 0
      var effects = Effects()
      switch words[0] {
      case "A", "B", "C", "D", "part": subscribe(words, &effects)
      case "publish":
        let new = Self.publication(at: registry)
        if words.last == "own" {
          _ = state.accept(new, &effects)
        } else {
          _ = state.acceptFromOthers(new, keepsData: words.last == "keeping", &effects)
        }
      case "rest": _ = state.lanes.atOnce?.phase.finishWithoutTurn()
      case "serve":
        let (lane, subscription) = (subscriptions[number].lane, subscriptions[number])
        var batch = Batch()
        _ = state.withLane(lane, &effects) { [current = state.queuedCurrent] in lane.begin(&batch, current, &$0) }
        _ = subscription.gate.begin(batch.queue.popFirst()?.version ?? 0, from: subscription.gate.reading)
        batches[number] = batch
      case "end" where words.count == 1: state.release(&effects)
      case "finish": state.finish(&effects)
      case "end":
        let subscription = subscriptions[number]
        if !subscription.gate.end(subscription.gate.reading.next - 1) { state.removeLeaving(subscription, &effects) }
      case "next":
        let lane = subscriptions[number].lane
        var batch = batches[number] ?? Batch()
        _ = state.withLane(lane, &effects) { [current = state.queuedCurrent] in lane.takeNext(&batch, current, &$0) }
      case "cancel":
        let found = state.cancel(subscriptions[number], as: .cancelled, &effects)
        notes.append(found.map { $0.isUnderWay ? "under way" : "quiescent" } ?? "cancelled before")
      case "wait":
        waiters.append(state.addEndWaiter(for: state.leaving[0].subscription))
      case "sequence":
        state.sequenceCount += words.count == 1 ? 1 : -1
        state.dropLastState(&effects)
      case "context": state.end(subscriptions[number].lane, &effects)
      case "owner": state.owner = owner
      case "valid": state.validity.isInvalidated = true
      case "notices":
        state.listenerNotices[ObjectIdentifier(owner)] = ListenerNotices(countsParts: words.count > 1, notify: {})
      default: Issue.record("There is no command \(command)")
      }
    }

    private mutating func subscribe(_ words: [Substring], _ effects: inout Effects) {
      let policy: DuplicatePolicy =
        switch words.dropFirst(2).filter({ $0 != "latest" && $0 != "most" }).joined(separator: " ") {
        case "ignoring": .ignore
        case "replacing": .replace
        case "replacing type": .replaceSameType
        default: .allow
        }
      let object = objects[["A", "B", "C", "D"].firstIndex(of: words[0]) ?? 0]
      let request = SubscriptionRequest(
        object, through: SubscriberInterface(words[0] == "part" ? .directory : .closure), on: context(words[1]),
        buffering: words.last == "latest" ? .latest : words.last == "most" ? .newest(.max) : .unbounded,
        ifDuplicate: policy
      ) { _, _ in }
      let action = state.subscribe(request, at: registry, replays: true, &effects)
      if action.isExisting {
        notes.append("is \(subscriptions.firstIndex(of: action.subscription) ?? -1)")
      } else {
        subscriptions.append(action.subscription)
      }
    }

    var description: String {
      var words = ["version \(state.newest)"]
      if state.current == nil { words.append("no state") }
      if state.isFinished { words.append(state.isReleased ? "ended" : "finished") }
      let open = subscriptions.indices.filter { subscriptions[$0].gate.isOpen }
      if !open.isEmpty { words.append("open" + open.map { " \($0)" }.joined()) }
      #expect(state.subscribers.openCount == open.count)
      for lane in state.lanes.all {
        let requests = [(LanePhase.Requests.more, " more"), (.attention, " attention")]
        words.append(
          "\(lane.context) \(lane.phase.current)"
            + requests.filter { lane.phase.hasRequest($0.0) }.map(\.1).joined()
            + (lane.inTurn.obstacleCount > 0 ? " behind \(lane.inTurn.obstacleCount)" : ""))
      }
      if !state.leaving.isEmpty { words.append("leaving \(state.leaving.count)") }
      if !waiters.isEmpty { words.append(state.waiters.isEmpty ? "not awaited" : "awaited") }
      words += notes + owner.notes
      if state.validity.isInvalidated { words.append("invalidated") }
      if let notice = state.notice(for: ObjectIdentifier(owner)) {
        words.append("notice \(notice.number): \(notice.isListenedTo ? "listened to" : "nobody")")
      }
      return words.joined(separator: ", ")
    }
  }

  private final class Owner: PublisherOwner {
    private let told = Locked<[String]>([])

    var notes: [String] { told.withLock { $0 } }

    func othersPublish(_ effects: inout Effects) -> [WaiterID] {
      told.withLock { $0.append("told") }
      return []
    }

    func publisherFinishes(_ effects: inout Effects) -> [WaiterID] {
      told.withLock { $0.append("told of the end") }
      return []
    }
  }
#endif
