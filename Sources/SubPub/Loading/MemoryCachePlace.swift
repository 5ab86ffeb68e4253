/// Holds the slot of one key in a `MemoryCache`, so that it stays the slot of that key.
final class MemoryCachePlace: Sendable {
  let memory: MemoryCache
  let key: String
  let slot: Int

  /// Takes over one holder of the slot.
  init(memory: MemoryCache, key: String, slot: Int) {
    self.memory = memory
    self.key = key
    self.slot = slot
  }

  deinit { memory.leave(slot) }
}
