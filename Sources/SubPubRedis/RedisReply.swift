#if Redis
  import CHiredis

  /// A command, encoded as the server reads it.
  ///
  /// Every argument is sent with its length, so it may contain any bytes.
  struct RedisCommand {
    fileprivate(set) var bytes: [UInt8]

    init(_ arguments: String...) {
      bytes = []
      begin(argumentCount: arguments.count)
      for argument in arguments { append(argument) }
    }

    /// Creates a command whose arguments are appended later.
    init(argumentCount: Int) {
      bytes = []
      begin(argumentCount: argumentCount)
    }

    mutating func append(_ argument: String) { append(argument.utf8) }

    mutating func append(_ argument: some Collection<UInt8>) {
      bytes.append(UInt8(ascii: "$"))
      bytes.append(contentsOf: String(argument.count).utf8)
      bytes.append(contentsOf: "\r\n".utf8)
      bytes.append(contentsOf: argument)
      bytes.append(contentsOf: "\r\n".utf8)
    }

    private mutating func begin(argumentCount: Int) {
      bytes.append(UInt8(ascii: "*"))
      bytes.append(contentsOf: String(argumentCount).utf8)
      bytes.append(contentsOf: "\r\n".utf8)
    }
  }

  /// What the server replies to a command.
  enum RedisReply: Equatable {
    case bytes([UInt8])
    case status(String)
    case integer(Int64)
    case array([RedisReply])
    case null
    /// The server has refused the command.
    case error(String)

    /// Copies a reply of the C library.
    init(_ reply: UnsafePointer<redisReply>) {
      let (kind, length) = unsafe (reply.pointee.type, reply.pointee.len)
      let bytes = unsafe UnsafeRawBufferPointer(start: reply.pointee.str, count: length)
      switch kind {
      case REDIS_REPLY_STRING: self = .bytes(unsafe [UInt8](bytes))
      case REDIS_REPLY_STATUS: self = .status(unsafe String(decoding: bytes, as: UTF8.self))
      case REDIS_REPLY_ERROR: self = .error(unsafe String(decoding: bytes, as: UTF8.self))
      case REDIS_REPLY_INTEGER: self = .integer(unsafe reply.pointee.integer)
      case REDIS_REPLY_ARRAY:
        let elements = unsafe UnsafeBufferPointer(start: reply.pointee.element, count: reply.pointee.elements)
        self = .array(unsafe elements.map { unsafe $0.map { unsafe RedisReply($0) } ?? .null })
      default: self = .null
      }
    }

    /// The reply, unless it is an error.
    func get() throws(RedisError.Reason) -> RedisReply {
      if case .error(let message) = self { throw .refused(message) }
      return self
    }
  }
#endif
