#if Redis
  import CHiredis

  /// Puts replies together from what arrives.
  ///
  /// The C library parses, and tells a builder what it finds.
  @safe
  final class ReplyReader {
    private let reader: UnsafeMutablePointer<redisReader>
    private let functions: UnsafeMutablePointer<redisReplyObjectFunctions>
    private let builder: UnsafeMutablePointer<ReplyBuilder>
    private let limits: ReplyLimits

    /// Returns nil if there is no memory.
    init?(_ limits: ReplyLimits = ReplyLimits()) {
      let functions = UnsafeMutablePointer<redisReplyObjectFunctions>.allocate(capacity: 1)
      unsafe functions.initialize(to: ReplyBuilder.functions)
      guard let reader = unsafe redisReaderCreateWithFunctions(functions) else {
        unsafe functions.deallocate()
        return nil
      }
      let builder = UnsafeMutablePointer<ReplyBuilder>.allocate(capacity: 1)
      unsafe builder.initialize(to: ReplyBuilder(limits: limits))
      unsafe reader.pointee.privdata = UnsafeMutableRawPointer(builder)
      unsafe (self.reader, self.functions, self.builder, self.limits) = (reader, functions, builder, limits)
    }

    deinit {
      unsafe redisReaderFree(reader)
      unsafe functions.deallocate()
      unsafe builder.deinitialize(count: 1)
      unsafe builder.deallocate()
    }

    /// Returns the replies that these bytes complete, and why there can't be more.
    func replies(completedBy bytes: ArraySlice<UInt8>) -> (replies: [RedisReply], failure: RedisError.Reason?) {
      let result = unsafe bytes.withUnsafeBytes { unsafe redisReaderFeed(reader, $0.baseAddress, $0.count) }
      guard result == REDIS_OK else { return ([], .unreachable("there is no memory for a reply")) }
      unsafe builder.pointee.expect(byteCount: bytes.count)
      while true {
        var reply: UnsafeMutableRawPointer?
        let result = unsafe redisReaderGetReply(reader, &reply)
        guard result == REDIS_OK, unsafe reply != nil else {
          let failure = result == REDIS_OK ? failureOfRest : unsafe builder.pointee.failure ?? failure
          return unsafe (builder.pointee.takeReplies(), failure)
        }
        guard unsafe builder.pointee.endReply() else {
          return unsafe (builder.pointee.takeReplies(), .unreachable("the server sends a reply of an unknown kind"))
        }
      }
    }

    private var failure: RedisError.Reason {
      // The C library imports an array as a tuple.
      let text = unsafe withUnsafeBytes(of: reader.pointee.errstr) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      return .unreachable("the server doesn't speak Redis' protocol: \(text)")
    }
  }

  extension ReplyReader {
    /// Why what has begun to arrive isn't waited for: it is longer than it may be.
    ///
    /// The C library would keep any number of bytes.
    private var failureOfRest: RedisError.Reason? {
      guard let buffer = unsafe reader.pointee.buf else { return nil }
      let (start, end) = unsafe (reader.pointee.pos, reader.pointee.len)
      let rest = unsafe UnsafeRawBufferPointer(start: buffer, count: end)[start...]
      // A line that is complete, and stays, is the length of a string that isn't.
      var length: UInt64 = 0
      for index in unsafe rest.indices.prefix(20) {
        let byte = unsafe rest[index]
        if byte == UInt8(ascii: "\r"), unsafe index + 1 < end && rest[index + 1] == UInt8(ascii: "\n") {
          return length <= limits.stringBytes ? nil : .tooLong("a string", limits.stringBytes, "bytes")
        }
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { break }
        length = length &* 10 &+ UInt64(byte - UInt8(ascii: "0"))
      }
      return unsafe rest.count <= limits.lineBytes ? nil : .tooLong("a line", limits.lineBytes, "bytes")
    }
  }

  /// What a reply may have at most, so that a server can't take all memory.
  struct ReplyLimits {
    /// Also the server's limit, `proto-max-bulk-len`, unless somebody has changed that.
    var stringBytes = 512 << 20
    /// The bytes of all strings of a reply.
    var bytes = 1 << 30
    var elements = 1 << 22
    /// Arrays in arrays.
    var depth = 7
    /// Of an error, for example.
    var lineBytes = 64 << 10
  }

  extension RedisError.Reason {
    fileprivate static func tooLong(_ what: String, _ limit: Int, _ unit: String) -> Self {
      .unreachable("the server sends \(what) with more than \(limit) \(unit)")
    }
  }

  /// What a reader has found so far.
  private struct ReplyBuilder {
    private typealias Element = ReplyMemory.Element

    let limits: ReplyLimits
    /// Why the reply is refused.
    private(set) var failure: RedisError.Reason?
    private var elements: [Element] = []
    private var bytes: [UInt8] = []
    /// The reply that has begun; nil if there is none.
    private var begun: Int?
    /// The replies that are complete; what follows belongs to the next one.
    private var replies: [Int] = []
    private var end = (elements: 0, bytes: 0)
    /// How many elements there were before these, in replies that are complete.
    private var former = 0

    init(limits: ReplyLimits) { self.limits = limits }

    /// Makes room for replies of that size.
    mutating func expect(byteCount: Int) {
      guard elements.isEmpty, bytes.isEmpty else { return }
      bytes.reserveCapacity(byteCount)
      // Entries of streams have about one element for 16 bytes.
      elements.reserveCapacity(byteCount / 16 + 1)
    }

    /// Notes that the reply is complete; returns false if it is of a kind that nobody has asked for, and that newer
    /// versions of the C library know.
    mutating func endReply() -> Bool {
      guard let index = begun.take() else { return false }
      replies.append(index)
      end = (elements.count, bytes.count)
      return true
    }

    /// Returns the replies that are complete, and keeps what has arrived of the next one.
    mutating func takeReplies() -> [RedisReply] {
      if replies.isEmpty { return [] }
      let memory = ReplyMemory(elements, bytes)
      defer {
        elements = memory.elements[end.elements...].map { $0.moved(by: end) }
        bytes = Array(memory.bytes[end.bytes...])
        (former, begun) = (former + end.elements, begun.map { $0 - end.elements })
        (replies, end) = ([], (0, 0))
      }
      return replies.map { RedisReply(memory, $0) }
    }

    /// Keeps the bytes of a string; returns nil if there are too many.
    mutating func add(_ bytes: UnsafeRawBufferPointer) -> Range<Int>? {
      guard bytes.count <= limits.bytes - self.bytes.count else {
        failure = .tooLong("a reply", limits.bytes, "bytes")
        return nil
      }
      let start = self.bytes.count
      unsafe self.bytes.append(contentsOf: bytes)
      return start..<self.bytes.count
    }

    /// Makes room for the elements of an array that is in so many others; returns nil if there are too many.
    mutating func addElements(_ count: Int, depth: Int) -> Range<Int>? {
      let start = elements.count
      guard depth <= limits.depth, count <= limits.elements - start else {
        failure = .tooLong("a reply", limits.elements, "elements, or arrays that are nested too deeply")
        return nil
      }
      elements.append(contentsOf: repeatElement(.null, count: count))
      return start..<elements.count
    }

    /// Puts an element in its place in an array, or after all others if it is a reply; returns its number.
    private mutating func put(_ element: Element, at place: Int?) -> Int {
      if let place {
        elements[place] = element
        return place + former + 1
      }
      begun = elements.count
      elements.append(element)
      return elements.count + former
    }
  }

  /// What the C library calls.
  extension ReplyBuilder {
    static var functions: redisReplyObjectFunctions {
      var functions = redisReplyObjectFunctions()
      unsafe functions.createString = { task, start, count in
        unsafe ReplyBuilder.add(to: task) { builder, type in
          let range = unsafe builder.add(UnsafeRawBufferPointer(start: start, count: count))
          return range.map { type == REDIS_REPLY_ERROR ? .refusal($0) : .text($0) }
        }
      }
      unsafe functions.createArray = { task, count in
        var (depth, parent) = unsafe (0, task?.pointee.parent)
        while let array = unsafe parent { unsafe (depth, parent) = (depth + 1, array.pointee.parent) }
        return unsafe ReplyBuilder.add(to: task) { builder, _ in
          builder.addElements(Int(count), depth: depth).map { .array($0) }
        }
      }
      unsafe functions.createInteger = { task, number in
        unsafe ReplyBuilder.add(to: task) { _, _ in .integer(Int64(number)) }
      }
      unsafe functions.createNil = { task in unsafe ReplyBuilder.add(to: task) { _, _ in .null } }
      unsafe functions.freeObject = { _ in }
      return functions
    }

    /// Adds an element; returns what the C library keeps for it.
    ///
    /// That is its number, counted from 1 on over all replies, because nil is a failure, and indices change when
    /// replies are taken.
    private static func add(
      to task: UnsafePointer<redisReadTask>?, _ element: (inout ReplyBuilder, Int32) -> Element?
    ) -> UnsafeMutableRawPointer? {
      guard let task = unsafe task, let memory = unsafe task.pointee.privdata else { return nil }
      let builder = unsafe memory.assumingMemoryBound(to: ReplyBuilder.self)
      guard let element = unsafe element(&builder.pointee, task.pointee.type) else { return nil }
      var place: Int?
      if let parent = unsafe task.pointee.parent {
        place = unsafe builder.pointee.place(Int(task.pointee.idx), inArray: Int(bitPattern: parent.pointee.obj))
      }
      return unsafe UnsafeMutableRawPointer(bitPattern: builder.pointee.put(element, at: place))
    }

    private func place(_ index: Int, inArray number: Int) -> Int? {
      guard case .array(let range) = elements[number - former - 1] else { return nil }
      return range.lowerBound + index
    }
  }

  extension ReplyMemory.Element {
    /// The same element, after what comes before it was removed.
    fileprivate func moved(by count: (elements: Int, bytes: Int)) -> Self {
      switch self {
      case .null, .integer: self
      case .text(let range): .text(range.moved(by: count.bytes))
      case .refusal(let range): .refusal(range.moved(by: count.bytes))
      case .array(let range): .array(range.moved(by: count.elements))
      }
    }
  }

  extension Range<Int> {
    fileprivate func moved(by count: Int) -> Self { lowerBound - count..<upperBound - count }
  }
#endif
