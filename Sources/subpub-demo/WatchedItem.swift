/// The file or folder that is being watched, as it was when it was last looked at.
struct WatchedItem: Hashable, Sendable, Codable, CustomStringConvertible, JSONConvertible {
  enum Kind: Hashable, Sendable, Codable {
    case file
    /// How many entries it has, hidden ones included.
    case folder(entries: Int)
    /// A device, a pipe, a socket.
    case other
  }

  let kind: Kind
  /// Of a file its size, of a folder the sizes of the files directly in it.
  let size: ByteCount
  let modified: Timestamp

  var description: String {
    switch kind {
    case .file: "file of \(size), modified \(modified)"
    case .folder(let entries):
      "folder with \(entries) \(entries == 1 ? "entry" : "entries"), \(size) in its files, modified \(modified)"
    case .other: "neither file nor folder, modified \(modified)"
    }
  }

  var json: String {
    let common = #""size":\#(size.bytes),"modified":\#(JSONText.string("\(modified)"))"#
    return switch kind {
    case .file: #"{"kind":"file",\#(common)}"#
    case .folder(let entries): #"{"kind":"folder","entries":\#(entries),\#(common)}"#
    case .other: #"{"kind":"other",\#(common)}"#
    }
  }
}
