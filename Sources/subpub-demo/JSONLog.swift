import Dispatch
import SubPub
import Synchronization

/// Writes every state of every publisher, one JSON object to a line.
///
/// `Subscriber` is the type-less face: one method for publishers of any type, which is handed the publication,
/// that is the state together with its version and its publisher. Who wants only states of one type conforms to
/// `TypedSubscriber`, or subscribes a method, as the view does.
final class JSONLog: Subscriber, CustomStringConvertible {
  private struct State: ~Copyable {
    let file: OpenFile
    var lines = 0
    var bytes = 0
    var failure: SystemError?
  }

  /// Where it wants to be called: writing to a disk may block, which nobody else shall feel.
  let queue = DispatchQueue(label: "subpub-demo.log")
  private let path: String
  private let console: Console
  /// Only the queue touches it while the program runs. The lock is for the compiler, and for `description`.
  private let state: Mutex<State>

  init(writingTo path: String, console: Console) throws(SystemError) {
    self.path = path
    self.console = console
    state = Mutex(State(file: try .creating(path)))
  }

  func receive(_ publication: any AnyPublication) {
    let line = Self.line(for: publication)
    let failure = state.withLock { state in Self.append(line, to: &state) }
    if let failure { console.report("log: cannot write \(path), giving it up: \(failure)") }
  }

  var description: String {
    state.withLock { state in
      let written = "log: \(state.lines) line\(state.lines == 1 ? "" : "s") in \(path)"
      return state.failure.map { "\(written), then \($0)" } ?? written
    }
  }

  /// What went wrong just now. After a failure nothing is written any more, so that a log has no gaps.
  private static func append(_ line: String, to state: inout State) -> SystemError? {
    guard state.failure == nil else { return nil }
    do {
      try state.file.append(line)
      state.lines += 1
      state.bytes += line.utf8.count
    } catch {
      state.failure = error
      state.file.cut(to: state.bytes)  // a full disk may have taken half of the line
    }
    return state.failure
  }

  /// `value` is the data that the state holds: after an error, the previous ones.
  private static func line(for publication: any AnyPublication) -> String {
    let value = (publication.anyValue as? any JSONConvertible)?.json ?? "null"
    let error = publication.error.map { JSONText.string("\($0)") } ?? "null"
    let fields = [
      #""time":\#(JSONText.string("\(Timestamp.now)"))"#,
      #""publisher":\#(JSONText.string("\(publication.source)"))"#,
      #""version":\#(publication.version)"#,
      #""phase":\#(JSONText.string("\(publication.phase)"))"#,
      #""value":\#(value)"#,
      #""error":\#(error)"#,
    ]
    return "{\(fields.joined(separator: ","))}\n"
  }
}
