#if Redis
  /// A command as a client sends it, whose arguments may have any bytes.
  struct StandInRequest {
    /// The command in small letters.
    let name: String
    private var arguments: ArraySlice<[UInt8]>

    init(_ parts: [[UInt8]]) {
      name = Self.word(parts.first ?? [])
      arguments = parts.dropFirst()
    }

    var argumentCount: Int { arguments.count }
    /// Whether the command needs memory.
    var writes: Bool { ["xadd", "set", "xsetid", "eval"].contains(name) }

    /// Takes the next argument.
    mutating func next() throws(StandInRefusal) -> [UInt8] {
      guard let next = arguments.popFirst() else {
        throw StandInRefusal("ERR wrong number of arguments for '\(name)' command")
      }
      return next
    }

    /// Takes the next argument, which is a number.
    mutating func nextNumber() throws(StandInRefusal) -> Int {
      guard let number = Int(String(decoding: try next(), as: UTF8.self)), (0...1 << 50).contains(number) else {
        throw StandInRefusal("ERR value is not an integer or out of range")
      }
      return number
    }

    /// Takes the next argument as a word in small letters.
    mutating func nextWord() throws(StandInRefusal) -> String { Self.word(try next()) }

    /// Takes the next argument if it is this word.
    mutating func takes(_ word: String) -> Bool {
      guard let next = arguments.first, Self.word(next) == word else { return false }
      arguments.removeFirst()
      return true
    }

    private static func word(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self).lowercased() }
  }

  /// Why a command is refused.
  struct StandInRefusal: Error {
    let message: String

    init(_ message: String) { self.message = message }

    static let syntax = StandInRefusal("ERR syntax error")
  }

  /// A reply, as a client receives it.
  struct StandInReply: Equatable {
    private(set) var bytes: [UInt8]

    private init(_ text: String) { bytes = Array("\(text)\r\n".utf8) }

    /// An array with these elements.
    init(_ elements: some Collection<StandInReply>) {
      self.init("*\(elements.count)")
      for element in elements { bytes += element.bytes }
    }

    /// A string with these bytes; nil for no string.
    init(_ string: [UInt8]?) {
      self.init("$\(string?.count ?? -1)")
      if let string { bytes += string + [13, 10] }
    }

    init(_ number: Int) { self.init(":\(number)") }

    static func refused(_ refusal: StandInRefusal) -> StandInReply { StandInReply("-\(refusal.message)") }
    static func text(_ text: String) -> StandInReply { StandInReply(Array(text.utf8)) }
    static func status(_ word: String) -> StandInReply { StandInReply("+\(word)") }
    static let ok = status("OK")
    static let noString = StandInReply([UInt8]?.none)
    static let noArray = StandInReply("*-1")
  }

  /// Puts commands together from what arrives.
  struct StandInReader {
    /// The greatest numbers of arguments, and of the bytes of one.
    private static let most = (arguments: 1 << 20, bytes: 512 << 20)

    private var bytes: [UInt8] = []
    /// The bytes before this index were taken.
    private var first = 0

    mutating func append(_ more: some Collection<UInt8>) {
      bytes.removeFirst(first)
      first = 0
      bytes += more
    }

    /// Returns the next command that is complete.
    ///
    /// - Throws: If this isn't the protocol.
    mutating func next() throws(StandInRefusal) -> StandInRequest? {
      var (position, parts) = (first, [[UInt8]]())
      guard let count = try length("*", upTo: Self.most.arguments, at: &position) else { return nil }
      for _ in 0..<count {
        guard let size = try length("$", upTo: Self.most.bytes, at: &position), bytes.count - position >= size + 2
        else {
          return nil
        }
        parts.append(Array(bytes[position..<position + size]))
        position += size + 2
      }
      first = position
      return StandInRequest(parts)
    }

    /// Parses a line with a sign and a number; nil if it isn't complete.
    private func length(_ sign: Character, upTo limit: Int, at position: inout Int) throws(StandInRefusal) -> Int? {
      guard let end = bytes[position...].firstIndex(of: 13), end + 1 < bytes.count else {
        if bytes.count - position > 32 { throw StandInRefusal("ERR Protocol error") }
        return nil
      }
      let line = String(decoding: bytes[position..<end], as: UTF8.self)
      guard line.first == sign, let number = Int(line.dropFirst()), (0...limit).contains(number) else {
        throw StandInRefusal("ERR Protocol error")
      }
      position = end + 2
      return number
    }
  }
#endif
