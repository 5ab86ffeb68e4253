#if os(Linux)
  import Foundation
  import Testing

  // `--serve`: the states in a browser.
  extension DemoTests {
    @Test("it serves a page, the states, metrics, and events that go on where a client was, until it is stopped")
    func serving() async throws {
      let demo = try Demo(["--serve", "0", "--interval", "0.05", "--watch", here])
      let started = await demo.wait { printed in printed.lines.contains { $0.hasPrefix("serving ") } }
      let address = try #require(started.lines.first { $0.hasPrefix("serving ") }?.dropFirst(8))
      #expect(address.hasPrefix("http://127.0.0.1:"))
      let port = try #require(UInt16(address.split(separator: ":").last?.dropLast() ?? ""))

      #expect(try Self.ask(port, "/").contains("<title>subpub-demo</title>"))
      #expect(try Self.ask(port, "/state").contains(#""name":"memory""#))
      #expect(try Self.ask(port, "/metrics").contains(#"subpub_version{publisher="board"}"#))
      #expect(try Self.ask(port, "/nothing").hasPrefix("HTTP/1.1 404"))
      #expect(try Self.ask(port, "/state", method: "POST").hasPrefix("HTTP/1.1 405"))
      #expect(try Self.ask(port, "/", header: "X: " + String(repeating: "x", count: 9_000)).hasPrefix("HTTP/1.1 431"))

      let first = try Self.ids(Self.ask(port, "/events", until: 3))
      let last = try #require(first.last)
      let next = try Self.ids(
        Self.ask(port, "/events", header: "Last-Event-ID: \(last.epoch)-\(last.number)", until: 3))
      #expect(next.first.map { $0.epoch == last.epoch && $0.number == last.number + 1 } ?? false)

      let client = try Self.connect(port, "/events")
      demo.send(SIGTERM)
      #expect(try Self.read(client) { _ in false }.hasSuffix("event: end\ndata: the server ends\n\n"))
      await demo.end().expectTable()
    }

    @Test(
      "an address that is none, or that is taken, ends it with one line",
      arguments: ["x", "70000", "host:80", "1.2.3:80", "127.0.0.1:", ":80:80"])
    func wrongAddress(address: String) async throws {
      try await Demo(["--serve", address]).end().expectFailure(status: 2, "--serve needs a port")
    }

    private static func ids(_ text: String) -> [(epoch: Substring, number: Int)] {
      text.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("id: ") }.compactMap { line in
        let parts = line.dropFirst(4).split(separator: "-")
        return parts.count == 2 ? Int(parts[1]).map { (parts[0], $0) } : nil
      }
    }

    /// Returns the whole answer, or as much of it as has that many events.
    private static func ask(
      _ port: UInt16, _ path: String, method: String = "GET", header: String = "X: y", until events: Int? = nil
    ) throws -> String {
      try read(connect(port, path, method, header)) { text in events.map { ids(text).count >= $0 } ?? false }
    }

    private static func connect(
      _ port: UInt16, _ path: String, _ method: String = "GET", _ header: String = "X: y"
    ) throws -> FileHandle {
      let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      let isConnected = unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe Glibc.connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      try #require(isConnected)
      let handle = FileHandle(fileDescriptor: client, closeOnDealloc: true)
      try handle.write(contentsOf: Data("\(method) \(path) HTTP/1.1\r\n\(header)\r\n\r\n".utf8))
      return handle
    }

    /// Reads until the end, or until what has arrived is enough.
    private static func read(_ client: FileHandle, until isEnough: (String) -> Bool) throws -> String {
      var received = Data()
      while let more = try client.read(upToCount: 65_536), !more.isEmpty {
        received += more
        let text = String(decoding: received, as: UTF8.self)
        if isEnough(text) { return text }
      }
      return String(decoding: received, as: UTF8.self)
    }
  }
#endif
