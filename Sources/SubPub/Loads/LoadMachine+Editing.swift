/// An edit that isn't confirmed yet (5.20).
struct Edit<Value: Sendable>: Sendable {
  let id: EditID
  let apply: @Sendable (Value) -> Value
  /// The value of `LoadMachine.serverChanges` when the edit was made, or, if edits wait for each other, was sent.
  var serverChanges = 0
  /// The task that waits until the edit may be sent; nil if there is none (5.24).
  var waiter: WaiterID?
}

/// Identifies an edit: no other edit has the same object.
final class EditID: Sendable {}

/// What the server has made of an edit.
enum Confirmation<Value: Sendable>: Sendable {
  /// It has accepted the edit as it is.
  case accepted
  /// It has sent something that is put into its data in place of the edit (5.23).
  case merged(@Sendable (Value) -> Value)
  /// It has sent its data.
  case answered(ServerData<Value>)
}

/// When an edit is sent.
enum SendTurn { case now, later, never }

/// Data of the server, and where it comes from.
///
/// An object, so that a step can be copied without knowing the layout of a value.
final class ServerData<Value: Sendable>: Sendable {
  let value: Value
  let provenance: Provenance?

  init(_ value: Value, _ provenance: Provenance?) { (self.value, self.provenance) = (value, provenance) }
}

/// The work of foreign code that a step needs first: the transforms of edits, merging, and the comparison of values.
///
/// It is done outside every turn, and done again if the server's data or the edits have changed in the meantime.
struct Preparation<Value: Sendable> {
  let revision: Int
  /// The server's data after the step.
  let data: ServerData<Value>
  /// Makes an edit part of that data.
  var accept: (@Sendable (Value) -> Value)?
  /// The edits that are pending after the step.
  var edits: [Edit<Value>]
  /// The data to compare with; nil if that makes no difference.
  var former: ServerData<Value>?
}

/// The results of a `Preparation`.
///
/// An object, for the same reason as `ServerData`.
final class Prepared<Value: Sendable> {
  let revision: Int
  /// The server's data after the step.
  let data: ServerData<Value>
  /// That data with the pending edits applied to it.
  let shown: Value
  /// Whether the data equals the former data.
  let isUnchanged: Bool

  init(revision: Int, data: ServerData<Value>, shown: Value, isUnchanged: Bool) {
    (self.revision, self.data, self.shown, self.isUnchanged) = (revision, data, shown, isUnchanged)
  }
}

/// Edits: what is shown is the server's data with all pending edits applied to it, in the order of the calls (5.20).
extension LoadMachine {
  typealias Edit = SubPub.Edit<Value>
  typealias ServerData = SubPub.ServerData<Value>

  /// The server's data, without the pending edits.
  func serverData(_ present: Present) -> ServerData? {
    if !edits.isEmpty { return dataBelow }
    guard let value = present.state.value else { return nil }
    return ServerData(value, present.provenance)
  }

  /// The provenance of what is shown over the server's data.
  func provenance(over data: ServerData) -> Provenance? {
    edits.isEmpty ? data.provenance : Provenance(.edited, freshSince: data.provenance?.freshSince)
  }

  /// Adds an edit, and shows it if there is data.
  mutating func add(_ edit: Edit, _ prepared: Prepared<Value>?, _ present: Present) -> (
    LoadStep<Value>, Preparation<Value>?
  ) {
    if isOver { return (LoadStep(), nil) }
    let (data, prepared) = (serverData(present), current(prepared))
    var new = edit
    new.serverChanges = serverChanges
    var all = edits
    all.append(new)
    if let data, prepared == nil {
      return (LoadStep(), Preparation(revision: revision, data: data, edits: all))
    }
    (edits, dataBelow) = (all, data)
    if rules.sendsOneAtATime, sending == nil { sending = edit.id }
    revision += 1
    guard let data, let prepared else { return (LoadStep(), nil) }
    var step = LoadStep<Value>()
    step.publisher.published = present.publication.next(present.state.with(prepared.shown), provenance(over: data))
    return (step, nil)
  }

  /// Ends an edit; without a confirmation, its sending has failed.
  ///
  /// The other edits stay.
  mutating func endEdit(
    _ id: EditID, _ confirmation: Confirmation<Value>?, _ prepared: Prepared<Value>?, _ present: Present
  ) -> (LoadStep<Value>, Preparation<Value>?) {
    guard let index = edits.firstIndex(where: { $0.id === id }) else {
      var step = confirmation == nil ? LoadStep() : noteConfirmationOfDropped(present)
      endSend(of: id, &step)
      return (step, nil)
    }
    let (edit, prepared) = (edits[index], current(prepared))
    var others = edits
    others.remove(at: index)
    var (data, accept) = (serverData(present), (@Sendable (Value) -> Value)?.none)
    switch confirmation {
    case nil: break
    case .accepted: accept = edit.apply
    case .merged(let merge): accept = merge
    case .answered(let answer): data = answer
    }
    if let found = data, accept != nil || !others.isEmpty {
      guard let prepared else {
        return (LoadStep(), Preparation(revision: revision, data: found, accept: accept, edits: others))
      }
      data = prepared.data
    }
    (edits, dataBelow) = (others, others.isEmpty ? nil : data)
    revision += 1
    var step = take(confirmation, of: edit, with: data, showing: prepared?.shown, present)
    endSend(of: id, &step)
    return (step, nil)
  }

  private mutating func take(
    _ confirmation: Confirmation<Value>?, of edit: Edit, with data: ServerData?, showing shown: Value?,
    _ present: Present
  ) -> LoadStep<Value> {
    var step = LoadStep<Value>()
    let isAnswer = if case .answered = confirmation { true } else { false }
    var isStale = present.validity.isInvalidated && !isAnswer
    if confirmation != nil {
      // With other edits or loads in between, there is no telling which is newer, or what it includes.
      let overlaps = !edits.isEmpty && !rules.sendsOneAtATime
      if (isAnswer && overlaps) || edit.serverChanges != serverChanges {
        isStale = true
        noteStaleData()
      }
      noteConfirmed(isInData: data != nil)
    }
    guard let data else {
      // The cached value lacks the edit, and there is no data to take its place.
      if confirmation != nil { step.cacheChange = .clear }
      return step
    }
    let shown = shown ?? data.value
    var state = present.state.with(shown)
    if isAnswer {
      state = load != nil && present.state.phase == .loading ? .loading(previous: shown) : .loaded(shown)
      failure = nil
      if load?.before != nil {
        load?.before = .loaded(())
        load?.failureBefore = nil
      }
    }
    step.publisher.published = present.publication.next(state, provenance(over: data))
    var validity = isAnswer ? DataValidity() : present.validity
    validity.isInvalidated = isStale
    step.publisher.validity = validity
    if confirmation != nil {
      isCacheInvalidated = isStale
      // An accepted edit doesn't change the age of the data.
      step.cacheChange = .write(data, freshSince: validity.freshSince(data.provenance), hasEdit: true)
    }
    return step
  }

  /// Notes that the server has confirmed an edit that was dropped, which all data at hand may lack.
  private mutating func noteConfirmationOfDropped(_ present: Present) -> LoadStep<Value> {
    noteConfirmed(isInData: false)
    noteStaleData()
    var step = LoadStep<Value>()
    step.invalidate(present)
    step.cacheChange = .clear
    return step
  }

  /// Notes that the server has confirmed an edit, which the active load and the cache may lack.
  private mutating func noteConfirmed(isInData: Bool) {
    serverChanges += 1
    load?.isOutdated = true
    // Data at hand that has the edit is better than what the load brings.
    if isInData { load?.missesEdit = true } else { isCacheInvalidated = true }
  }
}

/// Edits that are sent one at a time, in the order of the calls (5.24).
extension LoadMachine {
  /// Decides whether an edit is sent now; if not yet, notes the task that waits for that.
  mutating func beginSend(of id: EditID, _ waiter: WaiterID) -> (LoadStep<Value>, SendTurn) {
    var step = LoadStep<Value>()
    guard let index = edits.firstIndex(where: { $0.id === id }) else {
      endSend(of: id, &step)
      return (step, .never)
    }
    if sending === id {
      edits[index].serverChanges = serverChanges
      return (step, .now)
    }
    edits[index].waiter = waiter
    return (step, .later)
  }

  /// Lets the next edit be sent, because the sending of this one has ended, or it was dropped before that.
  private mutating func endSend(of id: EditID, _ step: inout LoadStep<Value>) {
    guard sending === id else { return }
    sending = edits.first?.id
    if let waiter = edits.first?.waiter { step.publisher.released.append(waiter) }
  }
}
