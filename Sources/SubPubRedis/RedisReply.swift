#if Redis
  import CHiredis

  /// A command and its arguments.
  ///
  /// Every argument is sent with its length, so it may contain any bytes.
  struct RedisCommand {
    private var argumentCount = 0
    private var arguments: [UInt8] = []

    init(_ arguments: String...) {
      for argument in arguments { append(argument) }
    }

    init(_ name: String, of key: [UInt8]) {
      append(name)
      append(key)
    }

    /// Whether this asks for nothing but a reply.
    var isPing: Bool { argumentCount == 1 && arguments == RedisCommand("PING").arguments }

    /// How many bytes the arguments take.
    var byteCount: Int { arguments.count }

    mutating func append(_ argument: String) {
      beginArgument(ofCount: argument.utf8.count)
      arguments.append(contentsOf: argument.utf8)
      arguments.appendLineEnd()
    }

    mutating func append(_ argument: [UInt8]) {
      beginArgument(ofCount: argument.count)
      arguments.append(contentsOf: argument)
      arguments.appendLineEnd()
    }

    mutating func append(_ number: UInt64) {
      beginArgument(ofCount: number.digitCount)
      arguments.append(digitsOf: number)
      arguments.appendLineEnd()
    }

    mutating func append(_ number: Int64) {
      if let positive = UInt64(exactly: number) { append(positive) } else { append("\(number)") }
    }

    /// Appends an identifier: two numbers with a hyphen between them.
    mutating func append(_ epoch: UInt64, _ version: UInt64) {
      beginArgument(ofCount: epoch.digitCount + 1 + version.digitCount)
      arguments.append(digitsOf: epoch)
      arguments.append(UInt8(ascii: "-"))
      arguments.append(digitsOf: version)
      arguments.appendLineEnd()
    }

    /// Appends the arguments of another command.
    mutating func append(_ more: RedisCommand) {
      argumentCount += more.argumentCount
      arguments += more.arguments
    }

    /// Returns the command with more arguments.
    func followed(by more: RedisCommand) -> RedisCommand {
      var command = self
      command.append(more)
      return command
    }

    /// Makes room for more bytes.
    mutating func reserve(_ count: Int) { arguments.reserveCapacity(arguments.count + count) }

    private mutating func beginArgument(ofCount count: Int) {
      argumentCount += 1
      arguments.append(UInt8(ascii: "$"))
      arguments.append(digitsOf: UInt64(count))
      arguments.appendLineEnd()
    }

    /// Appends the command, as the server reads it, to what is sent.
    func encode(to bytes: inout [UInt8]) { encode(followedBy: RedisCommand(), to: &bytes) }

    /// Appends the command with more arguments.
    func encode(followedBy more: RedisCommand, to bytes: inout [UInt8]) {
      bytes.append(UInt8(ascii: "*"))
      bytes.append(digitsOf: UInt64(argumentCount + more.argumentCount))
      bytes.appendLineEnd()
      bytes.append(contentsOf: arguments)
      bytes.append(contentsOf: more.arguments)
    }
  }

  extension UInt64 {
    fileprivate var digitCount: Int {
      var (count, rest) = (1, self)
      while rest >= 10 { (count, rest) = (count + 1, rest / 10) }
      return count
    }
  }

  extension [UInt8] {
    /// Appends a number in decimal.
    mutating func append(digitsOf number: UInt64) {
      append(contentsOf: repeatElement(UInt8(ascii: "0"), count: number.digitCount))
      var (index, rest) = (count, number)
      while rest > 0 {
        index -= 1
        self[index] += UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      }
    }

    fileprivate mutating func appendLineEnd() {
      append(UInt8(ascii: "\r"))
      append(UInt8(ascii: "\n"))
    }
  }

  /// Puts replies together from what arrives.
  @safe
  final class ReplyReader {
    private let reader: UnsafeMutablePointer<redisReader>

    /// Returns nil if there is no memory.
    init?() {
      guard let reader = unsafe redisReaderCreate() else { return nil }
      unsafe self.reader = reader
    }

    deinit { unsafe redisReaderFree(reader) }

    func feed(_ bytes: ArraySlice<UInt8>) throws(RedisError.Reason) {
      let result = unsafe bytes.withUnsafeBytes { unsafe redisReaderFeed(reader, $0.baseAddress, $0.count) }
      if result != REDIS_OK { throw .unreachable("there is no memory for a reply") }
    }

    /// Returns the next reply that is complete.
    func next() throws(RedisError.Reason) -> RedisReply? {
      var raw: UnsafeMutableRawPointer?
      guard unsafe redisReaderGetReply(reader, &raw) == REDIS_OK else {
        // The C library imports an array as a tuple.
        let text = unsafe withUnsafeBytes(of: reader.pointee.errstr) {
          unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        throw .unreachable("the server doesn't speak Redis' protocol: \(text)")
      }
      guard let raw = unsafe raw else { return nil }
      return unsafe RedisReply(raw.assumingMemoryBound(to: redisReply.self))
    }
  }

  /// A reply of the server, or an element of one, in the memory of the C library.
  ///
  /// Nobody changes it.
  @safe
  struct RedisReply: @unchecked Sendable {
    private let memory: Memory
    private let reply: UnsafePointer<redisReply>

    /// Frees a reply when no part of it is used any more.
    @safe
    private final class Memory {
      private let reply: UnsafeMutablePointer<redisReply>

      init(_ reply: UnsafeMutablePointer<redisReply>) { unsafe self.reply = reply }

      deinit { unsafe freeReplyObject(reply) }
    }

    /// Takes a reply over.
    @unsafe
    init(_ reply: UnsafeMutablePointer<redisReply>) {
      memory = unsafe Memory(reply)
      unsafe self.reply = UnsafePointer(reply)
    }

    private init(_ memory: Memory, _ reply: UnsafeMutablePointer<redisReply>) {
      self.memory = memory
      unsafe self.reply = UnsafePointer(reply)
    }

    /// The number of elements; 0 if the reply isn't an array.
    var count: Int { unsafe reply.pointee.type == REDIS_REPLY_ARRAY ? reply.pointee.elements : 0 }

    /// An element of an array; nil if there is no such element.
    subscript(index: Int) -> RedisReply? {
      guard index < count, let element = unsafe reply.pointee.element[index] else { return nil }
      return unsafe RedisReply(memory, element)
    }

    /// The reply as a number; nil if it isn't one.
    var integer: Int64? { unsafe reply.pointee.type == REDIS_REPLY_INTEGER ? reply.pointee.integer : nil }

    /// The message of the server if it has refused the command.
    var refusal: String? { unsafe reply.pointee.type == REDIS_REPLY_ERROR ? text : nil }

    /// Whether the reply is that there is no value.
    var isNil: Bool { unsafe reply.pointee.type == REDIS_REPLY_NIL }

    /// The bytes of a string; empty for other replies.
    var bytes: [UInt8] { unsafe withBytes { unsafe [UInt8]($0) } }

    /// The bytes of a string as UTF-8.
    var text: String { unsafe withBytes { unsafe String(decoding: $0, as: UTF8.self) } }

    func isEqual(to other: [UInt8]) -> Bool {
      unsafe withBytes { unsafe $0.count == other.count && $0.elementsEqual(other) }
    }

    /// Calls a closure with the bytes of a string, which are valid while it runs.
    @unsafe
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
      let count = unsafe reply.pointee.str == nil ? 0 : reply.pointee.len
      return unsafe body(UnsafeRawBufferPointer(start: reply.pointee.str, count: count))
    }

    /// The reply, unless the server has refused the command.
    func get() throws(RedisError.Reason) -> RedisReply {
      if let refusal { throw .refused(refusal) }
      return self
    }
  }
#endif
