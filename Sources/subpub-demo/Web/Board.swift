import Dispatch
import SubPub

/// Everything that the program shows, as clients of its web server receive it.
struct Board: Sendable {
  /// The newest state of each publisher, as JSON.
  private var rows: [(source: PublisherID, json: String)] = []
  /// All of them.
  private(set) var json = "[]"

  mutating func show(_ publication: any AnyPublication) {
    let text = publication.anyValue.map { JSONText.string("\($0)") } ?? "null"
    let fields = [
      #""name":\#(JSONText.string("\(publication.source)"))"#,
      #""text":\#(text)"#,
      #""fraction":\#((publication.anyValue as? any Measured).map { "\($0.fraction)" } ?? "null")"#,
    ]
    let row = (publication.source, "{\((fields + publication.jsonFields).joined(separator: ","))}")
    if let index = rows.firstIndex(where: { $0.source == publication.source }) {
      rows[index] = row
    } else {
      rows.append(row)
    }
    json = "[\(rows.map(\.json).joined(separator: ","))]"
  }
}

/// Collects the states of all publishers in one, whose clients can come back after a lost connection.
final class BoardWriter: Subscriber {
  /// Its history is what a client may have missed: half a minute at 30 states a second.
  let board: Publisher<Board>
  /// The queue for deliveries, so that the states are collected one after the other.
  let queue = DispatchQueue(label: "subpub-demo.board")

  init(_ meter: Meter) { board = Publisher(label: "board", history: 1_000, instrumentation: meter) }

  func receive(_ publication: any AnyPublication) {
    board.update { state in
      var board = state.value ?? Board()
      board.show(publication)
      return .loaded(board)
    }
  }
}
