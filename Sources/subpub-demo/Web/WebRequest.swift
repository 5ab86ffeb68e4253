import SubPub

/// The status of an answer.
enum WebStatus: String {
  case ok = "200 OK"
  case noContent = "204 No Content"
  case badRequest = "400 Bad Request"
  case forbidden = "403 Forbidden"
  case notFound = "404 Not Found"
  case notAllowed = "405 Method Not Allowed"
  case timeout = "408 Request Timeout"
  case bodyTooLarge = "413 Content Too Large"
  case misdirected = "421 Misdirected Request"
  case tooLarge = "431 Request Header Fields Too Large"
}

/// A request; only one that turns the page's switches has a body.
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
  /// Whether a client that follows the events wants the pictures, too.
  private(set) var wantsPictures = false
  /// Whether a browser vouches that a page of this server makes the request.
  private(set) var isFromOwnPage = false
  private(set) var body: [UInt8] = []
  private var length = 0

  /// Whether all of it has arrived, or as much as tells that it is refused.
  var isComplete: Bool { refusal != nil || body.count == length }

  /// The only path for POST.
  static let switches = "/switches"
  private static let longestBody = 256

  var allowedMethods: String { path == Self.switches ? "POST" : "GET, HEAD" }

  /// A request that isn't served, of which this much has arrived.
  init(_ received: [UInt8], refusedWith refusal: WebStatus) {
    self.refusal = refusal
    isHead = received.starts(with: "HEAD ".utf8)
  }

  /// Parses what has arrived; returns nil if the head isn't complete.
  init?(_ received: [UInt8]) {
    let text = received.drop { Self.lineEnd.contains($0) }
    guard let end = text.firstRange(of: Self.lineEnd + Self.lineEnd) else { return nil }
    isHead = text.starts(with: "HEAD ".utf8)
    refusal = parse(text[..<end.lowerBound])
    addToBody(text[end.upperBound...])
  }

  /// Adds what has arrived since; what follows the body is dropped.
  mutating func addToBody(_ bytes: ArraySlice<UInt8>) {
    if refusal == nil { body += bytes.prefix(length - body.count) }
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

    var fields: [String: [String]] = [:]
    for line in lines {
      guard let field = Self.field(line) else { return .badRequest }
      fields[field.name, default: []].append(field.value)
    }
    let hosts = fields["host"] ?? []
    guard hosts.count <= 1, hosts.count == 1 || words[2] == "HTTP/1.0" else { return .badRequest }
    host = hosts.first
    let parts = words[1].split(separator: "?", maxSplits: 1)
    path = parts.first.map { String($0) } ?? "/"
    guard allowedMethods.split(separator: ", ").contains(words[0][...]) else { return .notAllowed }
    guard words[1].utf8.first == UInt8(ascii: "/") else { return .badRequest }
    // The first connection of a page can't set the header, and the header of a later one knows better.
    let query = parts.dropFirst().flatMap { $0.split(separator: "&") }
    let first = query.last { $0.hasPrefix("after=") }?.dropFirst(6)
    lastEvent = (fields["last-event-id"]?.last ?? first.map { String($0) }).flatMap { PublicationID($0) }
    wantsPictures = query.contains("pictures")
    return words[0] == "POST" ? parseBody(fields) : nil
  }

  /// Returns what is wrong with a request that has a body.
  private mutating func parseBody(_ fields: [String: [String]]) -> WebStatus? {
    // A page from elsewhere can send a request here, but its browser tells from where.
    let site = fields["sec-fetch-site"] ?? ["same-origin"]
    isFromOwnPage = host.map { fields["origin"] == ["http://\($0)"] } ?? false && site == ["same-origin"]
    guard let lengths = fields["content-length"], lengths.count == 1, fields["transfer-encoding"] == nil,
      !lengths[0].isEmpty, lengths[0].utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return .badRequest }
    // A number that doesn't fit is too large as well.
    guard let length = Int(lengths[0]), length <= Self.longestBody else { return .bodyTooLarge }
    self.length = length
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
