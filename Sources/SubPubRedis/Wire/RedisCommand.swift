#if Redis
  /// A command and its arguments.
  ///
  /// Every argument is sent with its length, so it may contain any bytes.
  struct RedisCommand: Sendable {
    private var argumentCount = 0
    private var arguments: [UInt8] = []

    init(_ arguments: String...) { self.init(arguments) }

    init(_ arguments: [String]) { for argument in arguments { append(argument) } }

    init(_ name: String, of key: [UInt8]) {
      reserve(key.count + 40)
      append(name)
      append(key)
    }

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

    /// What is sent.
    var encoded: [UInt8] {
      var bytes: [UInt8] = []
      encode(to: &bytes)
      return bytes
    }

    /// Appends the command with more arguments.
    func encode(followedBy more: RedisCommand, to bytes: inout [UInt8]) {
      bytes.append(UInt8(ascii: "*"))
      bytes.append(digitsOf: UInt64(argumentCount + more.argumentCount))
      bytes.appendLineEnd()
      bytes.append(contentsOf: arguments)
      bytes.append(contentsOf: more.arguments)
    }
  }

  extension RedisCommand {
    /// What is appended to the key of a stream for the key of the counter that numbers its outlets.
    static let counterSuffix = ":epoch"

    /// The command that reads the last entry of a stream.
    static func lastEntry(of key: [UInt8]) -> RedisCommand { entries(of: key, downFrom: "+", 1) }

    /// The command that reads entries of a stream, the last of them first.
    static func entries(of key: [UInt8], downFrom end: String, _ count: Int) -> RedisCommand {
      var command = RedisCommand("XREVRANGE", of: key)
      for argument in [end, "-", "COUNT", "\(count)"] { command.append(argument) }
      return command
    }
  }

  extension UInt64 {
    fileprivate var digitCount: Int {
      var (count, limit): (Int, UInt64) = (1, 10)
      while self >= limit, count < 20 {
        count += 1
        limit = limit.multipliedReportingOverflow(by: 10).partialValue
      }
      return count
    }
  }

  extension [UInt8] {
    /// Appends a number in decimal.
    mutating func append(digitsOf number: UInt64) {
      unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
        var (index, rest) = (20, number)
        repeat {
          index -= 1
          unsafe digits[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
          rest /= 10
        } while rest > 0
        unsafe append(contentsOf: digits[index...])
      }
    }

    fileprivate mutating func appendLineEnd() {
      append(UInt8(ascii: "\r"))
      append(UInt8(ascii: "\n"))
    }
  }

  extension Duration {
    /// For a command, rounded up: not 0, which stands for a wait without an end.
    var wholeMilliseconds: String { "\(max(1, Int64((self / .milliseconds(1)).rounded(.up))))" }
  }
#endif
