import Dispatch
import SubPub

/// Everything that the program shows, as clients of its web server receive it.
struct Board: Sendable {
  /// The newest state of each publisher, as JSON, by the publisher's name.
  private var rows: [(name: String, json: String)] = []
  /// All of them.
  private(set) var json = "[]"

  mutating func show(_ publication: any AnyPublication) {
    let name = "\(publication.source)"
    let text = publication.anyValue.map { JSONText.string("\($0)") } ?? "null"
    let fields = [
      #""name":\#(JSONText.string(name))"#,
      #""text":\#(text)"#,
      #""fraction":\#((publication.anyValue as? any Measured).map { "\($0.fraction)" } ?? "null")"#,
    ]
    let row = (name, "{\((fields + publication.jsonFields).joined(separator: ","))}")
    if let index = rows.firstIndex(where: { $0.name == name }) { rows[index] = row } else { rows.append(row) }
    json = "[\(rows.map(\.json).joined(separator: ","))]"
  }
}

/// Collects the states of all publishers in one, whose clients can come back after a lost connection.
final class BoardWriter: Subscriber {
  /// Its history is what a client may have missed: half a minute at 30 states a second.
  let board = Publisher<Board>(label: "board", history: 1_000)
  /// The queue for deliveries, so that the states are collected one after the other.
  let queue = DispatchQueue(label: "subpub-demo.board")

  func receive(_ publication: any AnyPublication) {
    board.update { state in
      var board = state.value ?? Board()
      board.show(publication)
      return .loaded(board)
    }
  }
}
