/// The keys of one request, and who has asked for them.
///
/// Decides only, under the lock of its batch, so it neither hashes nor compares keys: whoever asks for one compares it
/// with those of its bucket, outside the lock.
struct KeyBatch<Key: Hashable & Sendable, Value: Sendable> {
  enum Joining {
    /// `isFirst` tells whether the batch had no key before.
    case joined(asker: Int, isFirst: Bool)
    /// The batch is closed, because it is full: these keys are to be asked for.
    case filled(asker: Int, [Key])
    /// Another key was added to the bucket since the keys were compared.
    case outdated
    case closed
  }

  private let maximum: Int
  private var isClosed = false
  private var keys: [(key: Key, askers: Int)] = []
  /// The keys of each hash value, by their index.
  private var buckets: [Int: [Int]] = [:]
  /// The number of keys that somebody waits for.
  private var wanted = 0
  private var askers: [Int: (key: Int, task: SuspendedTask?)] = [:]
  private var lastAsker = 0
  /// What the request has ended with; nil before.
  private(set) var answer: Result<[Key: Value], any Error>?

  init(maximum: Int) { self.maximum = maximum }

  /// The keys that have a hash value, with their indices.
  func bucket(_ hash: Int) -> [(key: Key, index: Int)] { (buckets[hash] ?? []).map { (keys[$0].key, $0) } }

  /// Adds a caller who asks for a key, which has this index if it is there already.
  mutating func join(_ key: Key, _ hash: Int, at found: Int?, seeing count: Int) -> Joining {
    if isClosed { return .closed }
    guard buckets[hash]?.count ?? 0 == count else { return .outdated }
    let index = found ?? keys.count
    if found == nil {
      keys.append((key, 0))
      buckets[hash, default: []].append(index)
    }
    keys[index].askers += 1
    if keys[index].askers == 1 { wanted += 1 }
    lastAsker += 1
    askers[lastAsker] = (index, nil)
    if wanted == maximum, let all = close() { return .filled(asker: lastAsker, all) }
    return .joined(asker: lastAsker, isFirst: lastAsker == 1)
  }

  /// Lets nobody join any more; returns the keys that are still asked for, or nil if it was closed before.
  mutating func close() -> [Key]? {
    if isClosed { return nil }
    isClosed = true
    return keys.filter { $0.askers > 0 }.map(\.key)
  }

  /// Records the task of a caller; returns false if it has nothing to wait for.
  mutating func suspend(_ task: SuspendedTask, _ asker: Int) -> Bool {
    guard askers[asker] != nil else { return false }
    askers[asker]?.task = task
    return true
  }

  /// Removes a caller whose task was cancelled; returns the task, and whether nobody waits for the request any more.
  mutating func leave(_ asker: Int) -> (task: SuspendedTask?, isLast: Bool) {
    guard let (key, task) = askers.removeValue(forKey: asker) else { return (nil, false) }
    keys[key].askers -= 1
    if keys[key].askers == 0 { wanted -= 1 }
    return (task, isClosed && askers.isEmpty)
  }

  /// Ends the request; returns the tasks of those who wait, in the order in which they came.
  mutating func end(with answer: Result<[Key: Value], any Error>) -> [SuspendedTask] {
    defer { askers = [:] }
    self.answer = answer
    return askers.sorted { $0.key < $1.key }.compactMap(\.value.task)
  }
}
