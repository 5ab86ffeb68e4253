/// The keys of one request, and who has asked for them.
///
/// Decides only, under the lock of its batch, so it neither hashes nor compares keys: whoever asks for one compares it
/// with those of its bucket, outside the lock. A key that nobody wants any more is returned, and released there, too.
struct KeyBatch<Key: Hashable & Sendable, Value: Sendable> {
  enum Joining {
    /// `isFirst` tells whether nobody has asked for anything before.
    case joined(asker: Int, isFirst: Bool)
    /// The batch is closed, because it is full: these keys are to be asked for.
    case filled(asker: Int, [Key])
    /// The bucket has changed since the keys were compared.
    case outdated
    case closed
  }

  private let maximum: Int
  private var isClosed = false
  /// The keys that somebody waits for, by their numbers.
  private var keys: [Int: (key: Key, hash: Int, askers: Int)] = [:]
  private var lastKey = 0
  /// The numbers of the keys of each hash value.
  private var buckets: [Int: [Int]] = [:]
  private var askers: [Int: (key: Int, task: SuspendedTask?)] = [:]
  private var lastAsker = 0
  /// What the request has ended with; nil before.
  private var answer: Result<[Key: Value], any Error>?

  init(maximum: Int) { self.maximum = maximum }

  /// The keys that have a hash value, with their numbers.
  func bucket(_ hash: Int) -> [(number: Int, key: Key)] {
    (buckets[hash] ?? []).compactMap { number in keys[number].map { (number, $0.key) } }
  }

  /// Adds a caller who asks for a key, which has this number if it is there already.
  mutating func join(_ key: Key, _ hash: Int, at found: Int?, seeing bucket: [Int]) -> Joining {
    if isClosed { return .closed }
    guard buckets[hash] ?? [] == bucket else { return .outdated }
    if found == nil {
      lastKey += 1
      keys[lastKey] = (key, hash, 0)
      buckets[hash, default: []].append(lastKey)
    }
    let number = found ?? lastKey
    keys[number]?.askers += 1
    lastAsker += 1
    askers[lastAsker] = (number, nil)
    if keys.count == maximum, let all = close() { return .filled(asker: lastAsker, all) }
    return .joined(asker: lastAsker, isFirst: lastAsker == 1)
  }

  /// Lets nobody join any more; returns the keys that are asked for, or nil if it was closed before.
  mutating func close() -> [Key]? {
    if isClosed { return nil }
    isClosed = true
    return keys.values.map(\.key)
  }

  /// Records the task of a caller; returns false if it has nothing to wait for.
  mutating func suspend(_ task: SuspendedTask, _ asker: Int) -> Bool {
    guard answer == nil, askers[asker] != nil else { return false }
    askers[asker]?.task = task
    return true
  }

  /// Removes a caller whose task was cancelled; returns the task, a key that nobody wants any more, and whether nobody
  /// waits for the request any more.
  mutating func leave(_ asker: Int) -> (task: SuspendedTask?, key: Key?, isLast: Bool) {
    guard let (number, task) = askers.removeValue(forKey: asker) else { return (nil, nil, false) }
    keys[number]?.askers -= 1
    var unwanted: Key?
    if let (key, hash, askers) = keys[number], askers == 0 {
      unwanted = key
      keys[number] = nil
      buckets[hash]?.removeAll { $0 == number }
      if buckets[hash]?.isEmpty ?? false { buckets[hash] = nil }
    }
    return (task, unwanted, isClosed && askers.isEmpty)
  }

  /// Ends the request; returns the tasks of those who wait, in the order in which they came.
  mutating func end(with answer: Result<[Key: Value], any Error>) -> [SuspendedTask] {
    self.answer = answer
    defer { askers = askers.mapValues { (key: $0.key, task: nil) } }
    return askers.sorted { $0.key < $1.key }.compactMap(\.value.task)
  }

  /// What the request has ended with; nil for a caller who has left before.
  func answer(for asker: Int) -> Result<[Key: Value], any Error>? { askers[asker] == nil ? nil : answer }
}
