#if Redis
  import SubPub

  /// The id of an entry.
  struct StandInID: Comparable {
    var milliseconds: UInt64
    var sequence: UInt64

    static let zero = StandInID(milliseconds: 0, sequence: 0)
    static let last = StandInID(milliseconds: .max, sequence: .max)

    static func < (left: Self, right: Self) -> Bool {
      (left.milliseconds, left.sequence) < (right.milliseconds, right.sequence)
    }

    var text: String { "\(milliseconds)-\(sequence)" }

    init(milliseconds: UInt64, sequence: UInt64) { (self.milliseconds, self.sequence) = (milliseconds, sequence) }

    /// Parses an id, whose second number may be missing.
    init(_ bytes: some Collection<UInt8>, sequence: UInt64 = 0) throws(StandInRefusal) {
      let parts = bytes.split(separator: UInt8(ascii: "-"), maxSplits: 1, omittingEmptySubsequences: false)
      let numbers = parts.map { UInt64(String(decoding: $0, as: UTF8.self)) }
      guard let first = numbers[0], let second = numbers.count > 1 ? numbers[1] : sequence else {
        throw StandInRefusal("ERR Invalid stream ID specified as stream command argument")
      }
      self.init(milliseconds: first, sequence: second)
    }
  }

  /// A stream: its entries in the order of their ids.
  struct StandInStream {
    private struct Entry {
      let id: StandInID
      let reply: StandInReply
    }

    /// The greatest id that the stream has had.
    private(set) var lastID = StandInID.zero
    private var entries: [Entry] = []

    var count: Int { entries.count }
    var last: (id: StandInID, reply: StandInReply)? { entries.last.map { ($0.id, $0.reply) } }

    mutating func add(_ id: StandInID, _ fields: [[UInt8]]) throws(StandInRefusal) {
      guard id > .zero else { throw StandInRefusal("ERR The ID specified in XADD must be greater than 0-0") }
      guard id > lastID else {
        throw StandInRefusal(
          "ERR The ID specified in XADD is equal or smaller than the target stream top item")
      }
      entries.append(
        Entry(id: id, reply: StandInReply([.text(id.text), StandInReply(fields.map { StandInReply($0) })])))
      lastID = id
    }

    /// Removes the first entries until so many are left; or up to a hundred more, if whole blocks are removed.
    mutating func trim(to limit: Int, inBlocks: Bool) {
      let excess = max(0, entries.count - limit)
      entries.removeFirst(inBlocks ? excess - excess % 100 : excess)
    }

    mutating func setLast(_ id: StandInID) throws(StandInRefusal) {
      if let last = entries.last, id < last.id {
        throw StandInRefusal("ERR The ID specified in XSETID is smaller than the target stream top item")
      }
      lastID = id
    }

    /// The first entries between two bounds, or the last ones, the last of them first.
    func entries(
      from start: StandInBound, to end: StandInBound, _ count: Int?, isReversed: Bool = false
    ) -> [StandInReply] {
      let first = index(of: start)
      let found = entries[first..<max(first, index(of: end))]
      let count = count ?? found.count
      return isReversed ? found.suffix(count).reversed().map(\.reply) : found.prefix(count).map(\.reply)
    }

    mutating func remove(_ id: StandInID) { entries.removeAll { $0.id == id } }

    func ids(from start: StandInBound) -> [StandInID] { entries[index(of: start)...].map(\.id) }

    /// The index of the first entry behind a bound.
    private func index(of bound: StandInBound) -> Int { entries.lowerBound { !bound.isBefore($0.id) } }
  }

  /// A place between entries: just before an id, or just behind it.
  struct StandInBound {
    private let id: StandInID
    private let isBehind: Bool

    static func behind(_ id: StandInID) -> StandInBound { StandInBound(id: id, isBehind: true) }

    func isBefore(_ other: StandInID) -> Bool { isBehind ? id < other : id <= other }

    private init(id: StandInID, isBehind: Bool) { (self.id, self.isBehind) = (id, isBehind) }

    /// Parses the beginning or the end of a range: `-`, `+`, an id, or an id that doesn't belong to it.
    init(_ bytes: [UInt8], isEnd: Bool) throws(StandInRefusal) {
      switch bytes {
      case Array("-".utf8): self.init(id: .zero, isBehind: false)
      case Array("+".utf8): self = .behind(.last)
      default:
        let isExclusive = bytes.first == UInt8(ascii: "(")
        let id = try StandInID(bytes.dropFirst(isExclusive ? 1 : 0), sequence: isEnd ? .max : 0)
        self.init(id: id, isBehind: isEnd != isExclusive)
      }
    }
  }
#endif
