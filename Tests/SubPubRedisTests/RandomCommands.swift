#if Redis
  import SubPubRedis
  import SubPubTesting

  /// Commands that outlets and mirrors send, with arguments by chance.
  struct RandomCommands {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    private mutating func pick(_ elements: String...) -> String { elements.randomElement(using: &generator) ?? "" }

    /// An outlet's number; the great ones are after all times, so that a server's clock makes no difference.
    private mutating func number() -> String {
      pick("1", "2", "99", "100", "9999999999999", "10000000000000", "10000000000001", "18446744073709551614")
    }

    private mutating func id() -> String { "\(number())-\(pick("0", "1", "2", "3", "18446744073709551615"))" }

    mutating func command() -> [String] {
      switch Int.random(in: 0..<17, using: &generator) {
      case 0: ["SET", "s:epoch", pick("9999999999999", "10000000000000 ended", "18446744073709551615", "text", "")]
      case 1: ["GET", pick("s:epoch", "s:lease", "s")]
      case 2: ["DEL", pick("s", "s:epoch", "s:lease")]
      case 3: ["XADD", "s", id(), "value", pick("a", "b")]
      case 4: ["XADD", "s", "NOMKSTREAM", "MAXLEN", pick("=", "~"), pick("1", "3", "100"), id(), "value", "c"]
      case 5:
        [
          pick("XRANGE", "XREVRANGE"), "s", pick("-", "+", "2", "(\(id())"), pick("+", "-", id()), "COUNT",
          pick("1", "9"),
        ]
      case 6: ["XREAD", "COUNT", "2", "STREAMS", "s", id()]
      case 7: ["XSETID", "s", id()]
      case 8: [pick("XLEN", "TYPE"), pick("s", "s:epoch")]
      case 9: ["SET", "s:lease", pick("me", "other")]
      case 10: script(.takeOver, keys: ["s:epoch", "s"], pick("", "1"))
      case 11:
        script(
          .takeOver, keys: ["s:epoch", "s", "s:lease"], pick("", "1"), pick("me", "other"), "100000",
          pick("first", "ended", "always"))
      case 12: script(.settle, keys: ["s:epoch", "s"], number(), pick("", id()), pick("", "1"))
      case 13:
        script(
          .restore, keys: ["s:epoch", "s"], number(), pick("", id()), id(), "MAXLEN", "=", "3", id(), "value", "d")
      case 14: script(.renew, keys: ["s:epoch", "s:lease"], pick("me", "other"), "100000", number())
      case 15: script(.end, keys: ["s:epoch"], number())
      default: script(.end, keys: ["s:epoch", "s:lease"], number(), pick("me", "other"))
      }
    }

    private func script(_ script: OutletScript, keys: [String], _ arguments: String...) -> [String] {
      ["EVAL", script.source, "\(keys.count)"] + keys + arguments
    }

    /// Replies without what may be different: where in a script an error was, how much of a lease is left, and numbers
    /// that are times.
    static func comparable(_ reply: String) -> String {
      reply.split(separator: "\r\n", omittingEmptySubsequences: false).map { line in
        if let number = Int(line.drop { $0 == ":" }), (50_000...100_000).contains(number) { return "a lease's rest" }
        let text = line.firstRange(of: " script: ").map { line[..<$0.lowerBound] } ?? line
        return String(text.replacing(/1[78][0-9]{11}/, with: "now"))
      }.joined(separator: "\n")
    }
  }
#endif
