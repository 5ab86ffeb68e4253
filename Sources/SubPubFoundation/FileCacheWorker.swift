import Foundation
import SubPub

/// Where a `FileCache` works: an actor whose executor is a Dispatch queue, which may be blocked by a disk, by a lock and
/// by the coding of a large value.
actor FileCacheWorker<Value: Codable & Sendable> {
  private let file: CacheFile
  private let now: @Sendable () -> Date
  private let encoder: @Sendable () -> JSONEncoder
  private let decoder: @Sendable () -> JSONDecoder
  private let executor = QueueExecutor(label: "SubPub.FileCache")

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  init(
    file: CacheFile, now: @escaping @Sendable () -> Date, encoder: @escaping @Sendable () -> JSONEncoder,
    decoder: @escaping @Sendable () -> JSONDecoder
  ) {
    self.file = file
    self.now = now
    self.encoder = encoder
    self.decoder = decoder
  }

  func read() throws(FileCacheError.Reason) -> Cached<Value>? {
    guard let data = try file.contents() else { return nil }
    let document = try FileCacheDocument<Value>.decode(data, by: decoder())
    return Cached(value: document.value, age: document.age(at: now()))
  }

  func write(_ value: Value) throws(FileCacheError.Reason) {
    // Before anything is touched, and outside the lock: all of them run code of the user's.
    let document = FileCacheDocument(value: value, written: now().timeIntervalSince1970)
    let data = try document.encoded(by: encoder())
    try file.replace(with: data)
  }

  func clear() throws(FileCacheError.Reason) { try file.remove() }
}
