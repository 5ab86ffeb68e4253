/// An edit that isn't confirmed yet (5.20).
struct Edit<Value: Sendable>: Sendable {
  let id: EditID
  let apply: @Sendable (Value) -> Value
  /// The changes of the server's data when the edit was made, or, if edits wait for each other, was sent.
  fileprivate(set) var seen = ServerChanges()
  /// The task that waits until the edit may be sent; nil if there is none (5.24).
  fileprivate(set) var waiter: WaiterID?

  init(id: EditID, apply: @escaping @Sendable (Value) -> Value) { (self.id, self.apply) = (id, apply) }
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

/// How often the server's data has changed, as far as a manager knows.
///
/// Who begins to load or to send keeps the counts, and compares them with those at the end.
struct ServerChanges: Equatable {
  /// By loads, elements, edits, and invalidations.
  fileprivate(set) var news = 0
  /// By what was pushed.
  fileprivate(set) var pushed = 0
  /// By invalidations and confirmed edits: data that was asked for before is outdated.
  fileprivate(set) var outdating = 0
  /// By confirmed edits that the data at hand has: what was asked for before may lack them.
  fileprivate(set) var confirmed = 0
}

/// The work of foreign code that a step needs first: the transforms of edits, merging, and the comparison of values.
///
/// It is done outside every turn, and done again if the server's data or the edits have changed in the meantime.
struct Preparation<Value: Sendable> {
  let revision: Int
  /// The server's data after the step.
  let data: ServerData<Value>
  /// Makes an edit, or what was pushed, part of that data.
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

/// The server's data of a manager, with the edits of it that aren't confirmed yet, in the order of the calls (5.20).
///
/// A value that knows neither loads nor streams, and calls nothing: edits are applied outside the turns.
struct EditStack<Value: Sendable> {
  private(set) var edits: [Edit<Value>] = []
  /// Edits that are no longer pending: their release is foreign code.
  private var dropped: [Edit<Value>] = []
  /// While there are edits, the server's data below them; nil if there is none, so that no edit is shown.
  private(set) var dataBelow: ServerData<Value>?
  /// Whether edits are sent one at a time (5.24).
  let sendsOneAtATime: Bool
  /// In that case, the one that is next or being sent, which may have been dropped.
  private var sending: EditID?
  private(set) var changes = ServerChanges()
  /// The number of outdating changes that the value in the cache has; nil if that is from before an invalidation
  /// (5.15), or may lack a confirmed edit (5.20).
  private var cached: Int? = 0
  /// Changes whenever the server's data or the edits do: what was prepared for another revision no longer fits.
  private var revision = 0

  init(sendsOneAtATime: Bool = false) { self.sendsOneAtATime = sendsOneAtATime }

  var isCacheOutdated: Bool { cached != changes.outdating }

  /// The server's data, without the pending edits, below what is shown.
  func serverData(_ shown: Publication<Value>) -> ServerData<Value>? {
    if !edits.isEmpty { return dataBelow }
    guard let value = shown.state.value else { return nil }
    return ServerData(value, shown.provenance)
  }

  /// The provenance of what is shown over the server's data.
  func provenance(over data: ServerData<Value>) -> Provenance? {
    edits.isEmpty ? data.provenance : Provenance(.edited, freshSince: data.provenance?.freshSince)
  }
}

/// Changes of the server's data.
extension EditStack {
  /// Takes other data, or none, under the edits.
  mutating func take(_ data: ServerData<Value>?) {
    dataBelow = edits.isEmpty ? nil : data
    revision += 1
  }

  /// Notes that the server has sent data.
  mutating func noteNews() { changes.news += 1 }

  /// Notes that something was pushed, which other data may lack.
  mutating func notePush() { changes.pushed += 1 }

  /// Notes that all data from before is outdated, the cache's included.
  mutating func invalidate() {
    changes.news += 1
    changes.outdating += 1
  }

  /// Notes that the server has confirmed an edit, which a load under way and the cache may lack.
  ///
  /// Data at hand that has the edit is better than what the load brings.
  mutating func noteConfirmedEdit(isInData: Bool) {
    invalidate()
    if isInData { changes.confirmed += 1 }
  }

  /// Notes what the value in the cache is worth from now on.
  mutating func noteCache(isOutdated: Bool) { cached = isOutdated ? nil : changes.outdating }
}

/// Preparing.
extension EditStack {
  /// What was prepared; nil if something has changed since.
  func current(_ prepared: Prepared<Value>?) -> Prepared<Value>? { prepared?.revision == revision ? prepared : nil }

  /// What is to be prepared for other data, in which something may be accepted, under these edits or the pending ones.
  func preparation(
    of data: ServerData<Value>, accepting accept: (@Sendable (Value) -> Value)? = nil,
    under edits: [Edit<Value>]? = nil, comparingWith former: ServerData<Value>? = nil
  ) -> Preparation<Value> {
    Preparation(revision: revision, data: data, accept: accept, edits: edits ?? self.edits, former: former)
  }
}

/// Edits.
extension EditStack {
  /// Adds an edit over the server's data.
  mutating func add(_ edit: Edit<Value>, over data: ServerData<Value>?) {
    var edit = edit
    edit.seen = changes
    edits.append(edit)
    if sendsOneAtATime, sending == nil { sending = edit.id }
    take(data)
  }

  func edit(_ id: EditID) -> Edit<Value>? { edits.first { $0.id === id } }

  func without(_ id: EditID) -> [Edit<Value>] { edits.filter { $0.id !== id } }

  mutating func remove(_ id: EditID, over data: ServerData<Value>?) {
    if let index = edits.firstIndex(where: { $0.id === id }) { dropped.append(edits.remove(at: index)) }
    take(data)
  }

  /// Drops all edits; returns the tasks that wait to send one, which never will (5.24).
  mutating func drop() -> [WaiterID] {
    let waiters = edits.compactMap(\.waiter)
    dropped += edits
    edits = []
    take(nil)
    return waiters
  }

  /// What is to be released outside the turn.
  mutating func takeDropped() -> [Edit<Value>] {
    if dropped.isEmpty { return [] }
    defer { dropped = [] }
    return dropped
  }

  /// Decides whether an edit is sent now; if not yet, notes the task that waits for that.
  ///
  /// An edit that was dropped is never sent: then returns the task that may send the next one.
  mutating func beginSend(of id: EditID, _ waiter: WaiterID) -> (turn: SendTurn, next: WaiterID?) {
    guard let index = edits.firstIndex(where: { $0.id === id }) else { return (.never, endSend(of: id)) }
    if sending === id {
      edits[index].seen = changes
      return (.now, nil)
    }
    edits[index].waiter = waiter
    return (.later, nil)
  }

  /// Returns the task that may send the next edit, once this one was sent, or was dropped.
  mutating func endSend(of id: EditID) -> WaiterID? {
    guard sending === id else { return nil }
    sending = edits.first?.id
    return edits.first?.waiter
  }
}
