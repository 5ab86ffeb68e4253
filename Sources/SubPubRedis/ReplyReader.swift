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

    /// Returns nil if there is no memory.
    init?() {
      let functions = UnsafeMutablePointer<redisReplyObjectFunctions>.allocate(capacity: 1)
      unsafe functions.initialize(to: ReplyBuilder.functions)
      guard let reader = unsafe redisReaderCreateWithFunctions(functions) else {
        unsafe functions.deallocate()
        return nil
      }
      let builder = UnsafeMutablePointer<ReplyBuilder>.allocate(capacity: 1)
      unsafe builder.initialize(to: ReplyBuilder())
      unsafe reader.pointee.privdata = UnsafeMutableRawPointer(builder)
      unsafe (self.reader, self.functions, self.builder) = (reader, functions, builder)
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
          return unsafe (builder.pointee.takeReplies(), result == REDIS_OK ? nil : failure)
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

  /// What a reader has found so far.
  private struct ReplyBuilder {
    private typealias Element = ReplyMemory.Element

    /// How many elements there may be, so that a number that a server has sent doesn't take all memory.
    private static let mostElements = 1 << 22

    private var elements: [Element] = []
    private var bytes: [UInt8] = []
    /// The reply that has begun; nil if there is none.
    private var begun: Int?
    /// The replies that are complete; what follows belongs to the next one.
    private var replies: [Int] = []
    private var end = (elements: 0, bytes: 0)
    /// How many elements there were before these, in replies that are complete.
    private var former = 0

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

    mutating func add(_ bytes: UnsafeRawBufferPointer) -> Range<Int> {
      let start = self.bytes.count
      unsafe self.bytes.append(contentsOf: bytes)
      return start..<self.bytes.count
    }

    /// Makes room for the elements of an array; returns nil if there are too many.
    mutating func addElements(_ count: Int) -> Range<Int>? {
      let start = elements.count
      guard count <= Self.mostElements - start else { return nil }
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
          return type == REDIS_REPLY_ERROR ? .refusal(range) : .text(range)
        }
      }
      unsafe functions.createArray = { task, count in
        unsafe ReplyBuilder.add(to: task) { builder, _ in builder.addElements(Int(count)).map { .array($0) } }
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
