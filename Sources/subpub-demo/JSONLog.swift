import Dispatch
import SubPub
import Synchronization

/// A log of every state of every publisher, one JSON object per line.
///
/// `Subscriber` is the untyped protocol: one method receives publications of any type, each a state with its version
/// and publisher. To receive the states of only one type, conform to `TypedSubscriber`, as the view's rows do, or
/// subscribe with a closure, as the alarm does.
final class JSONLog: Subscriber, CustomStringConvertible {
  private struct State: ~Copyable {
    let file: OpenFile
    var lines = 0
    var bytes = 0
    var failure: SystemError?
  }

  /// The queue for deliveries: writing to a disk may block, which must not delay other subscribers.
  let queue = DispatchQueue(label: "subpub-demo.log")
  private let path: String
  private let console: Console
  /// The state, used only on the queue while the program runs.
  ///
  /// The lock satisfies the compiler, and protects `description`.
  private let state: Mutex<State>

  init(writingTo path: String, console: Console) throws(CannotOpen) {
    self.path = path
    self.console = console
    state = Mutex(State(file: try .creating(path)))
  }

  func receive(_ publication: any AnyPublication) {
    let line = Self.line(for: publication)
    let failure = state.withLock { state in Self.append(line, to: &state) }
    if let failure { console.report("log: cannot write \(path), so the log ends here: \(failure)") }
  }

  var description: String {
    state.withLock { state in
      let written = "log: \(state.lines) line\(state.lines == 1 ? "" : "s") in \(path)"
      return state.failure.map { "\(written), then \($0)" } ?? written
    }
  }

  /// Appends a line; returns the error if this is the first failure.
  ///
  /// After a failure, nothing more is written, so a log has no gaps.
  private static func append(_ line: String, to state: inout State) -> SystemError? {
    guard state.failure == nil else { return nil }
    do {
      try state.file.append(line)
      state.lines += 1
      state.bytes += line.utf8.count
    } catch {
      state.failure = error
      state.file.truncate(to: state.bytes)  // a full disk may have stored half of the line
    }
    return state.failure
  }

  private static func line(for publication: any AnyPublication) -> String {
    let fields = [
      #""time":\#(JSONText.string("\(Timestamp.now)"))"#,
      #""publisher":\#(JSONText.string("\(publication.source)"))"#,
    ]
    return "{\((fields + publication.jsonFields).joined(separator: ","))}\n"
  }
}

extension AnyPublication {
  /// The fields of a JSON object for the state; `value` is the data, or after an error the previous data.
  var jsonFields: [String] {
    [
      #""version":\#(version)"#,
      #""phase":\#(JSONText.string("\(phase)"))"#,
      #""value":\#((anyValue as? any JSONConvertible)?.json ?? "null")"#,
      #""error":\#(error.map { JSONText.string("\($0)") } ?? "null")"#,
    ]
  }
}

/// A type that the log can write.
protocol JSONConvertible {
  /// One JSON value, without line breaks.
  var json: String { get }
}

/// JSON strings without Foundation.
enum JSONText {
  static func string(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case "\u{0}"..<"\u{20}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":  // some readers end a line at these
        let hexadecimal = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - hexadecimal.count) + hexadecimal
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
