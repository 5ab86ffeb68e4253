/// The values of a `MemoryCache`, in the order of their use.
///
/// Decides only: takes no lock, calls no foreign code, and returns everything that has to be released.
struct MemoryCacheRecords {
  /// The sum of the sizes of the values.
  private(set) var size = 0
  /// The number of values.
  private(set) var count = 0

  private var slots: [String: Int] = [:]
  /// A record for each key with a holder or a value, and vacant records.
  private var records: [Record] = []
  private var vacant: [Int] = []
  // The values form a list from the most to the least recently used.
  private var newest: Int?
  private var oldest: Int?

  private struct Record {
    var key: String
    var type: any Any.Type
    /// The number of holders of the slot; a slot with neither a holder nor a value is vacant.
    var holders = 0
    var stored: Stored?
    var newer: Int?
    var older: Int?
  }

  private struct Stored {
    let value: any AnyObject & Sendable
    let size: Int
  }
}

extension MemoryCacheRecords {
  /// Finds or makes the slot of a key, and returns its type.
  ///
  /// Holds the slot if it has the requested type.
  mutating func join(_ key: String, type: any Any.Type) -> (slot: Int, type: any Any.Type) {
    if let slot = slots[key] {
      if records[slot].type == type { records[slot].holders += 1 }
      return (slot, records[slot].type)
    }
    let record = Record(key: key, type: type, holders: 1)
    let slot: Int
    if let last = vacant.popLast() {
      slot = last
      records[slot] = record
    } else {
      slot = records.count
      records.append(record)
    }
    slots[key] = slot
    return (slot, type)
  }

  /// Removes one holder.
  mutating func leave(_ slot: Int) {
    records[slot].holders -= 1
    vacateIfUnused(slot)
  }

  /// Returns the value, which becomes the most recently used one.
  mutating func read(_ slot: Int) -> (any AnyObject & Sendable)? {
    guard let stored = records[slot].stored else { return nil }
    if newest != slot {
      unlink(slot)
      link(slot)
    }
    return stored.value
  }

  /// Stores the value unless it is larger than the limit, and returns the values that it displaces.
  mutating func write(
    _ value: any AnyObject & Sendable, size added: Int, into slot: Int, limit: Int
  ) -> [any AnyObject & Sendable] {
    var displaced = clear(slot).map { [$0] } ?? []
    guard added <= limit else { return displaced }
    while size > limit - added, let last = oldest, let value = clear(last) { displaced.append(value) }
    records[slot].stored = Stored(value: value, size: added)
    size += added
    count += 1
    link(slot)
    return displaced
  }

  /// Removes the value and returns it.
  mutating func clear(_ slot: Int) -> (any AnyObject & Sendable)? {
    guard let stored = records[slot].stored else { return nil }
    unlink(slot)
    records[slot].stored = nil
    size -= stored.size
    count -= 1
    vacateIfUnused(slot)
    return stored.value
  }

  /// Removes all values and returns them.
  mutating func removeAll() -> [any AnyObject & Sendable] {
    var removed: [any AnyObject & Sendable] = []
    while let last = oldest, let value = clear(last) { removed.append(value) }
    return removed
  }

  private mutating func vacateIfUnused(_ slot: Int) {
    guard records[slot].holders == 0, records[slot].stored == nil else { return }
    slots[records[slot].key] = nil
    records[slot].key = ""
    vacant.append(slot)
  }

  /// Puts the slot at the front of the list.
  private mutating func link(_ slot: Int) {
    records[slot].newer = nil
    records[slot].older = newest
    if let newest { records[newest].newer = slot } else { oldest = slot }
    newest = slot
  }

  private mutating func unlink(_ slot: Int) {
    let (newer, older) = (records[slot].newer, records[slot].older)
    if let newer { records[newer].older = older } else { newest = older }
    if let older { records[older].newer = newer } else { oldest = newer }
  }
}
