import Foundation
import SubPub
import Testing

extension StateTests {
  @Suite("A change of a list is a value that can be applied, printed, and sent")
  struct ListChangeTests {
    typealias Change = ListChange<Int, String>

    // Not stored: LeakSanitizer doesn't see through the tagged pointers of a global enum.
    static var change: Change {
      .changed(
        inserted: [.init(element: "x", index: 0)], updated: [.init(element: "B", index: 2)],
        removed: [.init(id: 1, index: 0)], moved: [.init(id: 3, from: 2, to: 1)])
    }

    @Test("a change is applied by its indices, and a reset ignores the list")
    func applied() {
      #expect(Self.change.applied(to: ["a", "b", "c"]) == ["x", "c", "B"])
      #expect(Change.reset(["z"]).applied(to: ["a"]) == ["z"])
      #expect(Change.changed(inserted: [], updated: [], removed: [], moved: []).applied(to: ["a"]) == ["a"])
      let optional = ListChange<Int, Int?>.changed(
        inserted: [.init(element: nil, index: 0)], updated: [], removed: [], moved: [])
      #expect(optional.applied(to: [1, nil]) == [nil, 1, nil])
    }

    @Test("it says how many elements it has")
    func description() {
      #expect(Self.change.description == "1 inserted, 1 updated, 1 removed, 1 moved")
      #expect(Change.reset(["a", "b"]).description == "reset to 2")
      let removal = Change.changed(inserted: [], updated: [], removed: [.init(id: 1, index: 0)], moved: [])
      #expect(removal.description == "1 removed")
    }

    @Test("as JSON, it has the keys of those parts that aren't empty")
    func coding() throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      func text(_ change: Change) throws -> String { String(decoding: try encoder.encode(change), as: UTF8.self) }
      #expect(try text(.reset(["a"])) == #"{"reset":["a"]}"#)
      #expect(
        try text(.changed(inserted: [], updated: [.init(element: "b", index: 1)], removed: [], moved: []))
          == #"{"updated":[{"element":"b","index":1}]}"#)
      for change in [Self.change, .reset([]), .changed(inserted: [], updated: [], removed: [], moved: [])] {
        let decoded = try JSONDecoder().decode(Change.self, from: encoder.encode(change))
        #expect(decoded == change)
        #expect(Set([decoded, change]).count == 1)
      }
    }

    // Not captured by the exit test, which would decode it: that finds out about most of them (5.29).
    static var misfits: [Change] {
      [
        .changed(inserted: [.init(element: "x", index: 4)], updated: [], removed: [], moved: []),
        .changed(inserted: [.init(element: "x", index: -1)], updated: [], removed: [], moved: []),
        .changed(inserted: [], updated: [.init(element: "x", index: 3)], removed: [], moved: []),
        .changed(inserted: [], updated: [], removed: [.init(id: 1, index: 3)], moved: []),
        .changed(inserted: [], updated: [], removed: [.init(id: 1, index: 0), .init(id: 1, index: 0)], moved: []),
        .changed(inserted: [], updated: [], removed: [], moved: [.init(id: 1, from: 0, to: 3)]),
        .changed(
          inserted: [.init(element: "x", index: 0)], updated: [], removed: [], moved: [.init(id: 1, from: 1, to: 0)]),
      ]
    }

    @Test("a change that was made for another list stops the program", arguments: 0..<misfits.count)
    func misfit(number: Int) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [number] in
        _ = Self.misfits[number].applied(to: ["a", "b", "c"])
      }
      #expect(MisuseTests.message(result).contains("was applied to a list of 3 elements, for which it wasn't made"))
    }
  }
}
