#if os(Linux)
  import Foundation
  import Testing

  // `--serve`: the states in a browser.
  extension DemoTests {
    @Test("it serves a page, the states, metrics, and events that go on where a client was, until it is stopped")
    func serving() async throws {
      let server = try await DemoServer(["--interval", "0.05", "--watch", here])
      #expect(server.host == "127.0.0.1")
      #expect(try await server.ask("/").contains("<title>subpub-demo</title>"))
      #expect(try await server.ask("/state").contains(#""name":"memory""#))
      #expect(try await server.ask("/metrics").contains(#"subpub_version{publisher="board"}"#))
      #expect(try await server.ask("/nothing").hasPrefix("HTTP/1.1 404"))
      #expect(try await server.ask("/", ["X: " + String(repeating: "x", count: 9_000)]).hasPrefix("HTTP/1.1 431"))

      let client = try server.request("/events")
      _ = try await client.read { $0.contains("retry:") }
      server.demo.send(SIGTERM)
      #expect(try await client.read().hasSuffix("event: end\ndata: the server ends\n\n"))
      await server.demo.end().expectTable()
    }

    @Test("a client that comes back goes on after the last event that it has received")
    func lastEvent() async throws {
      // The history has to hold the event until the client comes back, on a busy machine, too.
      let server = try await DemoServer(["--interval", "0.5", "--watch", here])
      let forms = [
        ("Last-Event-ID:", ""), ("last-event-id: ", ""), ("LAST-EVENT-ID: \t ", ""), ("Last-Event-ID:\t", " \t "),
      ]
      for (before, after) in forms { try await expectNext(of: server) { ("/events", [before + $0 + after]) } }
      try await expectNext(of: server) { ("/events?after=\($0)", []) }
      try await expectNext(of: server) { ("/events?x=1&after=\($0)", []) }
    }

    /// Expects that a client with such a request goes on after the last event that it has received.
    private func expectNext(
      of server: DemoServer, _ request: (_ id: String) -> (path: String, headers: [String])
    ) async throws {
      let last = try #require(try await server.events().last)
      let (path, headers) = request("\(last.epoch)-\(last.number)")
      let next = try await server.events(path, headers).first
      #expect(next.map { $0.epoch == last.epoch && $0.number == last.number + 1 } == true, "\(path) \(headers)")
    }

    @Test("HEAD is GET without a body, and every other method is refused")
    func methods() async throws {
      let server = try await DemoServer(["--watch", here])
      for path in ["/", "/nothing", "/events"] {
        let head = try await server.ask(path, method: "HEAD")
        #expect(head.hasSuffix("\r\n\r\n"))
        let whole = try await server.ask(path) { path == "/events" && $0.contains("retry:") }
        #expect(whole.hasPrefix(head) && whole.count > head.count, "\(head)")
      }
      #expect(try await server.ask("/", method: "HEAD", []).hasSuffix("\r\n\r\n"), "nor has a refusal a body")
      let refused = try await server.ask("/state", method: "POST")
      #expect(refused.hasPrefix("HTTP/1.1 405") && refused.contains("\r\nAllow: GET, HEAD\r\n"))
    }

    @Test("only requests for this machine are served while nobody else can connect")
    func hosts() async throws {
      for (address, others) in [("127.0.0.1", ["[::1]", "127.0.0.2"]), ("[::1]", ["127.0.0.1", "::1", "[::2]"])] {
        let server = try await DemoServer(["--watch", here], at: address)
        #expect(server.host == address)
        for host in [address, "localhost", "LocalHost"] {
          for name in [host, "\(host):\(server.port)"] {
            #expect(try await server.ask("/state", ["Host: \t\(name) "]).hasPrefix("HTTP/1.1 200"), "\(name)")
          }
          #expect(try await server.ask("/state", ["Host: \(host):1"]).hasPrefix("HTTP/1.1 421"))
        }
        let foreign = ["example.com", "localhost.example.com", "example.com:\(server.port)", "", "localhost\u{301}"]
        for name in foreign + others + others.map({ "\($0):\(server.port)" }) {
          #expect(try await server.ask("/state", ["Host: \(name)"]).hasPrefix("HTTP/1.1 421"), "\(name)")
        }
        for path in ["/", "/metrics", "/events", "/nothing"] {
          let text = try await server.ask(path, ["Host: example.com"]) { $0.contains("\r\n\r\n") }
          #expect(text.hasPrefix("HTTP/1.1 421"), "\(path)")
        }
      }
      let open = try await DemoServer(["--watch", here], at: "0.0.0.0")
      #expect(try await open.ask("/state", ["Host: example.com"]).hasPrefix("HTTP/1.1 200"))
    }

    @Test("a request that isn't one is refused")
    func malformed() async throws {
      let server = try await DemoServer(["--watch", here])
      let requests = [
        "nonsense\r\n\r\n", "GET  / HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET / HTTP/2.0\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\nhost: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : localhost\r\n\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\n X: y\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: example.com\nHost: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nX\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\0.example.com\r\n\r\n", "GET localhost HTTP/1.1\r\nHost: localhost\r\n\r\n",
      ]
      for request in requests {
        #expect(try await server.send(request).read().hasPrefix("HTTP/1.1 400"), "\(request.debugDescription)")
      }
      #expect(try await server.send("GET /state HTTP/1.0\r\n\r\n").read().hasPrefix("HTTP/1.1 200"))
    }

    @Test("no label can break a line of the metrics, or forge one")
    func labels() async throws {
      // `\r\n` is one character, and so is a quotation mark with what is combined with it.
      let names = ["a\r\nb", "c\nd", "e\"\u{308}f", "g\\h", "i\u{2028}j"]
      let server = try await DemoServer(["--watch", here] + names.flatMap { ["--watch", "/\($0)"] })
      let answer = Data(try await server.ask("/metrics").utf8)
      let body = try #require(answer.firstRange(of: Data("\r\n\r\n".utf8)))
      let lines = answer[body.upperBound...].split(separator: UInt8(ascii: "\n"))
        .map { String(decoding: $0, as: UTF8.self).unicodeScalars.map { String($0) } }
      for line in lines where line.first != "#" {
        // Quoted text has no quotation mark and no line feed but escaped ones.
        var rest = line[...].drop { $0 != "\"" }.dropFirst()
        while let scalar = rest.first, scalar != "\"" {
          if scalar == "\\" { #expect(["\\", "\"", "n"].contains(rest.dropFirst().first)) }
          rest = rest.dropFirst(scalar == "\\" ? 2 : 1)
        }
        #expect(rest.joined().wholeMatch(of: /"} -?\d+/) != nil, "\(line.joined().debugDescription)")
      }
      for name in [#"/a\#r\nb"#, #"/c\nd"#, #"/e\"\#u{308}f"#, #"/g\\h"#, "/i\u{2028}j"] {
        let line = Data("subpub_loaded{publisher=\"path \(name)\"} ".utf8)
        #expect(answer.firstRange(of: line) != nil, "\(name.debugDescription)")
      }
      server.demo.send(SIGTERM)
      #expect(await server.demo.end().status == 0)
    }

    @Test("with more clients than it may open files, the others wait until some have gone, which it notices at once")
    func manyClients() async throws {
      // There is one state an hour, after those of the start.
      let limit = ["sh", "-c", #"ulimit -n 128 && exec "$@""#, "sh"]
      let server = try await DemoServer(["--watch", here, "--interval", "3600"], by: limit)
      _ = try await server.ask("/events") { text in
        let last = text.split(separator: "\n").last { $0.hasPrefix("data: ") } ?? ""
        return text.hasSuffix("\n\n") && last.split(separator: #""phase":"loaded""#).count == 4
      }
      // Together they are more than it can serve.
      for _ in 0..<4 {
        let readers = try (0..<40).map { _ in try server.request("/events") }
        for reader in readers { _ = try await reader.read { $0.contains("\ndata: ") } }
      }
      var readers: [WebConnection] = []
      var others: [WebConnection] = []
      for _ in 0..<70 {
        readers.append(try server.request("/events"))
        others.append(try server.send("nonsense\r\n\r\n"))
      }
      _ = try await readers[0].read { $0.contains("retry:") }
      readers.removeLast(readers.count - 1)
      for other in others { #expect(try await other.read().hasPrefix("HTTP/1.1 400")) }
      #expect(try await server.ask("/state").hasPrefix("HTTP/1.1 200"))

      // It can end while it is full, too.
      for _ in 0..<100 { readers.append(try server.request("/events")) }
      _ = try await readers[1].read { $0.contains("retry:") }
      server.demo.send(SIGTERM)
      #expect(try await readers[0].read().hasSuffix("event: end\ndata: the server ends\n\n"))
      await server.demo.end().expectTable()
    }

    @Test(
      "an address that is none, or that is taken, ends it with one line",
      arguments: [
        "x", "70000", "host:80", "1.2.3:80", "127.0.0.1:", ":80:80", "::1:80", "[::1]", "[::g]:80", "[127.0.0.1]:80",
      ])
    func wrongAddress(address: String) async throws {
      try await Demo(["--serve", address]).end().expectFailure(status: 2, "--serve needs a port")
    }
  }
#endif
