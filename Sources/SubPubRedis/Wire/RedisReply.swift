#if Redis
  /// A reply of the server, or an element of one.
  struct RedisReply: Sendable {
    let memory: ReplyMemory
    let index: Int

    init(_ memory: ReplyMemory, _ index: Int) { (self.memory, self.index) = (memory, index) }

    private var element: ReplyMemory.Element { memory.elements[index] }

    /// The number of elements; 0 if the reply isn't an array.
    var count: Int { memory.array(at: index).count }

    /// An element of an array; nil if there is no such element.
    subscript(index: Int) -> RedisReply? {
      let elements = memory.array(at: self.index)
      return (0..<elements.count).contains(index) ? RedisReply(memory, elements.lowerBound + index) : nil
    }

    /// The reply as a number; nil if it isn't one.
    var integer: Int64? { if case .integer(let number) = element { number } else { nil } }

    /// The message of the server if it has refused the command.
    ///
    /// A server that doesn't know a command repeats its arguments, which may be a password or a state: they are left
    /// out.
    var refusal: String? {
      guard case .refusal = element else { return nil }
      let text = text
      return text.firstRange(of: ", with args ").map { String(text[..<$0.lowerBound]) } ?? text
    }

    /// Whether the reply is that there is no value.
    var isNil: Bool { if case .null = element { true } else { false } }

    /// The bytes of a string; empty for other replies.
    var bytes: ArraySlice<UInt8> { memory.bytes[memory.text(at: index)] }

    /// Whether the reply is this string.
    func isText(_ text: String) -> Bool { memory.isText(at: index, text.utf8) }

    /// The bytes of a string as UTF-8.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The reply, unless the server has refused the command.
    func get() throws(RedisError.Reason) -> RedisReply {
      if let refusal { throw .refused(refusal) }
      return self
    }
  }

  extension RedisReply {
    /// The number of an outlet, which may have ended.
    var outletNumber: UInt64? {
      UInt64(digits: bytes.prefix { $0 != UInt8(ascii: " ") })
    }

    /// The server's time, since 1970; nil if this isn't a reply to `TIME`.
    var milliseconds: UInt64? {
      guard let seconds = UInt64(self[0]?.text ?? ""), let microseconds = UInt64(self[1]?.text ?? ""),
        seconds < 1 << 40, microseconds < 1_000_000
      else { return nil }
      return seconds * 1_000 + microseconds / 1_000
    }
  }

  /// The replies that have arrived together; to allocate each of their elements would cost more than to parse them.
  final class ReplyMemory: Sendable {
    enum Element {
      case null
      case integer(Int64)
      /// The range of its bytes.
      case text(Range<Int>)
      case refusal(Range<Int>)
      /// The range of its elements.
      case array(Range<Int>)
    }

    let elements: [Element]
    let bytes: [UInt8]

    init(_ elements: [Element], _ bytes: [UInt8]) { (self.elements, self.bytes) = (elements, bytes) }

    /// Where the elements of an array are; empty for other elements.
    func array(at index: Int) -> Range<Int> {
      if case .array(let range) = elements[index] { range } else { 0..<0 }
    }

    /// Where the bytes of a string are; empty for other elements.
    func text(at index: Int) -> Range<Int> {
      switch elements[index] {
      case .text(let range), .refusal(let range): range
      case .null, .integer, .array: 0..<0
      }
    }

    /// Whether an element is a string with these bytes.
    func isText(at index: Int, _ text: some Collection<UInt8>) -> Bool {
      let range = self.text(at: index)
      return range.count == text.count && zip(range, text).allSatisfy { bytes[$0] == $1 }
    }
  }
#endif
