#if DEBUG
  import SubPub

  @testable import SubPub

  /// A machine with what its publisher shows and its cache has: it is asked, and followed, as by a driver in turns.
  struct DrivenMachine<Value: Sendable & Equatable, Machine: ManagerMachine<Value>> {
    typealias Step = ManagerStep<Value>

    var machine: Machine
    private(set) var shown = Publication<Value>(.unknown, source: PublisherID(label: nil), provenance: nil)
    private(set) var validity = DataValidity()
    private(set) var version: UInt64 = 0
    private(set) var cached: Value?
    /// How many tasks were released.
    private(set) var released = 0
    /// Whether the publisher takes no further states.
    private(set) var isFinished = false
    fileprivate var waiters = Waiters()

    init(_ machine: Machine, cached: Value? = nil) { (self.machine, self.cached) = (machine, cached) }

    var present: ManagerPresent<Value> { ManagerPresent(publication: shown, validity: validity) }

    /// Takes a step that may have to be prepared; something else may happen before it is tried again.
    @discardableResult
    mutating func take(
      meanwhile: (inout DrivenMachine) -> Void = { _ in },
      _ body: (inout Machine, Prepared<Value>?, ManagerPresent<Value>) -> Decision<Value>
    ) -> Step {
      var prepared: Prepared<Value>?
      while true {
        let preparation: Preparation<Value>
        switch body(&machine, prepared, present) {
        case .done(let step):
          follow(step)
          return step
        case .needs(let needed): preparation = needed
        }
        var data = preparation.data
        if let accept = preparation.accept { data = ServerData(accept(data.value), data.provenance) }
        prepared = Prepared(
          revision: preparation.revision, data: data, shown: preparation.edits.reduce(data.value) { $1.apply($0) },
          isUnchanged: preparation.former?.value == data.value)
        meanwhile(&self)
      }
    }

    /// Asks for the sending of an edit, if edits are sent one at a time.
    mutating func beginSend(of id: EditID) -> SendTurn {
      let (step, turn) = machine.beginSend(of: id, waiters.add(missing: 1))
      follow(step)
      return turn
    }

    /// A transition by somebody else.
    mutating func publishByHand(_ new: LoadState<Value>, _ origin: DataOrigin?, isNew: Bool) {
      var step = machine.supersede()
      step.publisher.published = shown.next(new, origin.map { Provenance($0, freshSince: nil) })
      if isNew { step.publisher.validity = DataValidity() }
      follow(step)
    }

    /// The publisher finishes.
    mutating func finish() {
      isFinished = true
      follow(machine.endPublisher())
    }

    mutating func follow(_ step: Step) {
      let isDropped = isFinished && step.publisher.published != nil
      if let published = step.publisher.published, !isDropped {
        shown = published
        version += 1
      }
      if let new = step.publisher.validity, !isDropped { validity = new }
      released += step.publisher.released.count
      switch step.cacheChange {
      case .write(let data, _, _): cached = data.value
      case .clear: cached = nil
      case nil: break
      }
    }
  }

  typealias DrivenLoads<Value: Sendable & Equatable> = DrivenMachine<Value, LoadMachine<Value>>

  extension DrivenMachine where Machine == LoadMachine<Value> {
    init(_ rules: Machine.Rules = Machine.Rules(), cached: Value? = nil) { self.init(Machine(rules), cached: cached) }

    /// Asks for a caller that waits, and returns it unless there is nothing to load.
    mutating func ask(
      _ body: (inout Machine, WaiterID, ManagerPresent<Value>) -> (Step, LoadAnswer)
    ) -> (caller: WaiterID?, answer: LoadAnswer, step: Step) {
      let caller = waiters.add(missing: 1)
      let (step, answer) = body(&machine, caller, present)
      follow(step)
      return (answer == .nothing ? nil : caller, answer, step)
    }
  }
#endif
