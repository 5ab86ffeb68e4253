/// What a manager knows about the runs of its stream, and every decision about them (5.21).
///
/// As a `LoadMachine`, it is a value that is changed in the publisher's turns, and says what is to be done.
struct StreamMachine<Value: Sendable> {
  /// A run of the stream.
  ///
  /// Every transition but its own and `republish()` ends it (5.04).
  struct Run {
    let id: RunID
    /// The phase to return to if the run ends now; nil once it has published an element or an error.
    var before: FormerPhase?
  }

  /// What a turn has found.
  struct Present {
    let publication: Publication<Value>
    /// The last notice about listeners; nil once the manager doesn't want any.
    let notice: (isListenedTo: Bool, number: UInt64)?

    var state: LoadState<Value> { publication.state }
  }

  /// What a turn has decided.
  struct Step {
    var publisher = PublisherStep<Value>()
    /// Whether the active run has ended, so that its task is to be cancelled.
    var endsRun = false
    /// The run whose task is to be started; it may have begun earlier.
    var started: RunID?
    /// The departure after which the run ends, unless a listener arrives first.
    var departure: Departure?
  }

  private(set) var run: Run?
  /// How many runs have begun.
  private(set) var runCount = 0
  /// Whether the task of a run is still executing, even if another run is active by now.
  private var isTaskExecuting = false
  private var isListenedTo = false
  /// The number of the last notice about listeners that was taken into account.
  private var notice: UInt64 = 0
  /// What ends the active run, unless a listener arrives first.
  private(set) var departure: Departure?
  /// Whether the manager is gone.
  private var isOver = false
}

/// Identifies a run of a stream.
struct RunID: Hashable { let number: Int }

/// Identifies the moment at which the last listener has left.
struct Departure: Equatable { let notice: UInt64 }

/// The beginning and the end of runs.
extension StreamMachine {
  /// Begins a run if the first listener has arrived, or a departure if the last one has left.
  ///
  /// Called for each notice, and takes the last one into account, once.
  mutating func noteListeners(_ present: Present) -> Step {
    guard let (isListenedTo, number) = present.notice, number > notice else { return Step() }
    (self.isListenedTo, notice) = (isListenedTo, number)
    var step = Step()
    if isListenedTo {
      departure = nil
      begin(present, &step)
    } else if run != nil {
      departure = Departure(notice: number)
      step.departure = departure
    }
    return step
  }

  /// Begins a run if somebody listens and none is active; with a number, only if no more runs than that have begun.
  mutating func beginIfListenedTo(ifRunsAre runs: Int?, _ present: Present) -> Step {
    var step = Step()
    if runs == nil || runs == runCount { begin(present, &step) }
    return step
  }

  /// The task of a run starts when that of the previous one has ended: two sequences never exist at once.
  private mutating func begin(_ present: Present, _ step: inout Step) {
    guard isListenedTo, run == nil, !isOver else { return }
    runCount += 1
    let new = Run(id: RunID(number: runCount), before: present.state.withoutData)
    run = new
    if !isTaskExecuting { step.started = new.id }
    isTaskExecuting = true
    step.publisher.published = present.publication.next(.loading(previous: present.state.value))
  }

  /// Ends the active run, unless somebody has come back since the departure, perhaps without a notice so far.
  mutating func end(after departure: Departure, _ present: Present) -> Step {
    guard self.departure == departure, present.notice?.number == departure.notice else { return Step() }
    self.departure = nil
    return rollBack(present)
  }

  /// Ends the active run, because the manager is gone (5.09).
  mutating func endManager(_ present: Present) -> Step {
    (isOver, departure) = (true, nil)
    return rollBack(present)
  }

  /// Ends the active run, because of another transition.
  mutating func supersede() -> Step {
    var step = Step()
    step.endsRun = run != nil
    run = nil
    return step
  }

  private mutating func rollBack(_ present: Present) -> Step {
    var step = Step()
    if let before = run?.before {
      step.publisher.published = present.publication.next(before.with(present.state.value))
    }
    step.endsRun = run != nil
    run = nil
    return step
  }
}

/// What a run publishes, each time unless it has ended.
extension StreamMachine {
  /// Publishes an element, whose age nobody measures.
  mutating func receive(_ element: Value, of id: RunID, _ present: Present) -> Step {
    var step = Step()
    guard run?.id == id else { return step }
    run?.before = nil
    step.publisher.published = present.publication.next(.loaded(element), Provenance(.loaded, freshSince: nil))
    step.publisher.validity = DataValidity()
    return step
  }

  /// Publishes an error; `isLast` tells whether it ends the run.
  mutating func fail(_ error: any Error, isLast: Bool, of id: RunID, _ present: Present) -> Step {
    var step = Step()
    guard run?.id == id else { return step }
    run?.before = nil
    step.publisher.published = present.publication.next(.error(error, previous: present.state.value))
    if isLast { run = nil }
    return step
  }

  /// Publishes that the stream is tried again.
  mutating func retry(of id: RunID, _ present: Present) -> Step {
    var step = Step()
    guard run?.id == id else { return step }
    run?.before = present.state.withoutData
    step.publisher.published = present.publication.next(.loading(previous: present.state.value))
    return step
  }

  /// Notes that the task of a run has ended, which ends the run if it is still active.
  ///
  /// A run that was waiting for that starts.
  mutating func endTask(of id: RunID, _ present: Present) -> Step {
    var step = run?.id == id ? rollBack(present) : Step()
    step.started = run?.id
    isTaskExecuting = run != nil
    return step
  }
}
