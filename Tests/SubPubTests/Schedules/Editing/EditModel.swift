import SubPub

/// The sequential model of a manager whose data is edited: a list of numbers, to which each edit appends its own.
///
/// A run of a stream is a load, which brings elements and errors until it is cancelled.
struct EditModel: SequentialModel {
  struct Load: Hashable {
    /// The phase to return to if the load is cancelled; nil if no `loading` of it is shown.
    var before: LoadPhase?
    /// Whether an edit was confirmed since the load began.
    var missesEdit = false
  }

  var version: UInt64 = 0
  var phase = LoadPhase.unknown
  /// The server's data; nil if there is none.
  var server: [Int]?
  /// The pending edits, in the order of their calls.
  var edits: [Int] = []
  var load: Load?
  /// Whether edits are sent one at a time, and the one that is being sent.
  var isSerial = false
  var sending: Int?
  /// Edits that were dropped before they were sent, and whose callers don't know it yet.
  var dropped: Set<Int> = []

  /// What subscribers see.
  struct Content: Hashable {
    let phase: LoadPhase
    let data: [Int]?
    let isEdited: Bool

    init(phase: LoadPhase, data: [Int]?, isEdited: Bool) {
      (self.phase, self.data, self.isEdited) = (phase, data, isEdited)
    }

    init(_ publication: Publication<[Int]>) {
      self.init(phase: publication.phase, data: publication.state.value, isEdited: publication.origin == .edited)
    }
  }

  var content: Content {
    Content(phase: phase, data: server.map { $0 + edits }, isEdited: server != nil && !edits.isEmpty)
  }

  enum Effect: Equatable {
    enum Ending: Equatable { case refused, accepted, merged([Int]), answered([Int]) }

    case show(Int)
    /// The caller was cancelled, perhaps before the edit was shown.
    case mayShow(Int)
    /// The sending of an edit begins; only if edits are sent one at a time.
    case send(Int)
    case end(Int, Ending)
    /// A caller has learned that its edit is dropped.
    case drop(Int)
    /// The server pushes something.
    case push([Int])
    case beginLoad
    /// The loader has returned, or failed if nil; the load may have been superseded by then.
    case endLoad([Int]?)
    case cancelLoad
    /// An element, which leaves the run active, or a value from the cache.
    case element([Int])
    /// An error of a stream, which is tried again unless it is the last one.
    case failAttempt(isLast: Bool)
    case tryAgain
    case set([Int])
    case reset
    case startLoading
    case fail
    case read(version: UInt64, Content)
  }

  func results(of effect: Effect) -> [EditModel] {
    switch effect {
    case .mayShow(let edit): [self] + results(of: .show(edit))
    case .show(let edit): [changed(publishing: server != nil) { $0.edits.append(edit) }]
    case .send(let edit):
      sending == nil && edits.first == edit ? [changed(publishing: false) { $0.sending = edit }] : []
    case .push(let news): [changed(publishing: server != nil) { $0.server?.append(contentsOf: news) }]
    case .drop(let edit): dropped.contains(edit) ? [changed(publishing: false) { $0.dropped.remove(edit) }] : []
    case .end(let edit, _) where isSerial && sending != edit: []
    case .end(let edit, let ending):
      [(edits.contains(edit) ? ended(edit, ending) : self).changed(publishing: false) { $0.sending = nil }]
    case .beginLoad:
      [
        changed {
          $0.load = Load(before: load?.before ?? phase)
          $0.phase = .loading
        }
      ]
    case .endLoad(let value): load.map { [self, ended($0, with: value)] } ?? [self]
    case .cancelLoad:
      [
        changed(publishing: load?.before != nil) {
          $0.phase = load?.before ?? phase
          $0.load = nil
        }
      ]
    case .element(let value):
      [
        changed {
          ($0.server, $0.phase) = (value, .loaded)
          $0.load?.before = nil
        }
      ]
    case .failAttempt(let isLast):
      [
        changed {
          $0.phase = .error
          $0.load = isLast ? nil : Load(before: nil)
        }
      ]
    case .tryAgain:
      [
        changed {
          $0.load?.before = phase
          $0.phase = .loading
        }
      ]
    case .set(let value): [byHand(.loaded) { $0.server = value }]
    case .reset: [byHand(.unknown) { $0.server = nil }]
    case .startLoading: [byHand(.loading)]
    case .fail: [byHand(.error)]
    case .read(let version, let content): self.version == version && self.content == content ? [self] : []
    }
  }

  private func changed(publishing: Bool = true, _ change: (inout EditModel) -> Void) -> EditModel {
    var next = self
    change(&next)
    if publishing { next.version += 1 }
    return next
  }

  private func byHand(_ phase: LoadPhase, _ change: (inout EditModel) -> Void = { _ in }) -> EditModel {
    changed {
      if isSerial { $0.dropped.formUnion(edits.filter { $0 != sending }) }
      ($0.phase, $0.edits, $0.load) = (phase, [], nil)
      change(&$0)
    }
  }

  private func ended(_ edit: Int, _ ending: Effect.Ending) -> EditModel {
    var next = self
    next.edits.removeAll { $0 == edit }
    switch ending {
    case .refused: break
    case .accepted: next.server?.append(edit)
    case .merged(let answer): next.server?.append(contentsOf: answer)
    case .answered(let value):
      next.server = value
      if load == nil || phase != .loading { next.phase = .loaded }
      if load?.before != nil { next.load?.before = .loaded }
    }
    // A load is dropped only if there is data that has the edit.
    if ending != .refused, next.server != nil { next.load?.missesEdit = true }
    if next.server != nil { next.version += 1 }
    return next
  }

  private func ended(_ load: Load, with value: [Int]?) -> EditModel {
    changed {
      $0.load = nil
      $0.phase = value == nil ? .error : .loaded
      if let value, server == nil || !load.missesEdit { $0.server = value }
    }
  }
}
