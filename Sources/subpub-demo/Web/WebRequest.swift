import SubPub

/// The status of an answer.
enum WebStatus: String {
  case ok = "200 OK"
  case badRequest = "400 Bad Request"
  case notFound = "404 Not Found"
  case notAllowed = "405 Method Not Allowed"
  case timeout = "408 Request Timeout"
  case misdirected = "421 Misdirected Request"
  case tooLarge = "431 Request Header Fields Too Large"
}

/// The head of a request; there is no body.
///
/// It is parsed as bytes: what looks like one character may be several, of which one ends a line.
struct WebRequest {
  /// Why it isn't served; nil if it can be.
  private(set) var refusal: WebStatus?
  /// Whether the answer is a head without a body.
  private(set) var isHead = false
  private(set) var path = "/"
  /// The server that the client wants to talk to; nil if an old client doesn't tell.
  private(set) var host: String?
  /// The last event that a client that comes back has received.
  private(set) var lastEvent: PublicationID?

  /// A request that isn't served, of which this much has arrived.
  init(_ received: [UInt8], refusedWith refusal: WebStatus) {
    self.refusal = refusal
    isHead = received.starts(with: "HEAD ".utf8)
  }

  /// Parses what has arrived; returns nil if more has to come.
  init?(_ received: [UInt8]) {
    let text = received.drop { Self.lineEnd.contains($0) }
    guard let end = text.firstRange(of: Self.lineEnd + Self.lineEnd) else { return nil }
    isHead = text.starts(with: "HEAD ".utf8)
    refusal = parse(text[..<end.lowerBound])
  }

  private static let lineEnd = Array("\r\n".utf8)
  private static let separators = Array("\"(),/:;<=>?@[\\]{}".utf8)

  /// Returns what is wrong with the request.
  private mutating func parse(_ head: ArraySlice<UInt8>) -> WebStatus? {
    var lines = head.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for index in lines.indices.dropLast() {
      guard lines[index].popLast() == UInt8(ascii: "\r") else { return .badRequest }
    }
    guard !lines.joined().contains(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) else { return .badRequest }
    let words = lines.removeFirst().split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    guard words.count == 3, ["HTTP/1.0", "HTTP/1.1"].contains(words[2]) else { return .badRequest }

    var hosts: [String] = []
    var lastEvents: [String] = []
    for line in lines {
      guard let field = Self.field(line) else { return .badRequest }
      switch field.name {
      case "host": hosts.append(field.value)
      case "last-event-id": lastEvents.append(field.value)
      default: break
      }
    }
    guard hosts.count <= 1, hosts.count == 1 || words[2] == "HTTP/1.0" else { return .badRequest }
    host = hosts.first
    guard ["GET", "HEAD"].contains(words[0]) else { return .notAllowed }
    guard words[1].utf8.first == UInt8(ascii: "/") else { return .badRequest }
    let parts = words[1].split(separator: "?", maxSplits: 1)
    path = parts.first.map { String($0) } ?? "/"
    // The first connection of a page can't set the header, and the header of a later one knows better.
    let query = parts.dropFirst().flatMap { $0.split(separator: "&") }
    let first = query.last { $0.hasPrefix("after=") }?.dropFirst(6)
    lastEvent = (lastEvents.last ?? first.map { String($0) }).flatMap { PublicationID($0) }
    return nil
  }

  /// Returns the name of a field in lower case, and its value without the blanks around it.
  private static func field(_ line: ArraySlice<UInt8>) -> (name: String, value: String)? {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else { return nil }
    let name = line[..<colon]
    guard name.allSatisfy({ (0x21..<0x7F).contains($0) && !separators.contains($0) }) else { return nil }
    let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    var value = line[(colon + 1)...].drop(while: isBlank)
    while let last = value.last, isBlank(last) { value.removeLast() }
    return (String(decoding: name, as: UTF8.self).lowercased(), String(decoding: value, as: UTF8.self))
  }
}
