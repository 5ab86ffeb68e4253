#if os(Linux)
  import Foundation
  import Testing

  // `--serve`: what only the page in a browser uses, its pictures and its switches.
  extension DemoTests {
    @Test("the page loads nothing from elsewhere, and the browser is told so")
    func page() async throws {
      let server = try await DemoServer(["--watch", here])
      let page = try await server.ask("/")
      let number = try #require(page.firstMatch(of: /script-src 'nonce-([0-9a-z]{20,})'/)).1
      #expect(page.contains("\r\nContent-Security-Policy: default-src 'none'; "))
      for kind in ["style", "script"] { #expect(page.contains("<\(kind) nonce=\"\(number)\">")) }
      for word in ["src=", "https:", "url(", "@import", "innerHTML"] { #expect(!page.contains(word), "\(word)") }
    }

    @Test("a page receives pictures of publishers and subscribers among its events, and other clients receive none")
    func pictures() async throws {
      let server = try await DemoServer(["--interval", "0.05", "--watch", here])
      let page = try await server.ask("/events?pictures") { Self.pictures($0).count >= 3 && $0.contains("\nid: ") }
      let you = try #require(page.firstMatch(of: /\nevent: you\ndata: (client \d+)\n\n/)).1
      let picture = try #require(Self.pictures(page).last)
      for label in ["load", "memory", "path", "board", "view", "alarm", "errors", "summary", "web"] + [String(you)] {
        #expect(picture.contains("\"label\":\"\(label)\""), "\(label)")
      }
      #expect(picture.contains(#""trouble":{"fails":false,"isSlow":false}"#), "\(picture)")
      let delays = try #require(picture.firstMatch(of: /"delays":\[([0-9,]+)\]/)).1.split(separator: ",")
      #expect(delays.count == 24 && delays.contains { $0 != "0" })
      // Nothing stands in the middle of anything else.
      let events = page.components(separatedBy: "\n\n").dropFirst().dropLast()
      for event in events where event != "retry: 500" {
        #expect(event.wholeMatch(of: /(event: \w+|id: \d+-\d+)\ndata: .*/) != nil, "\(event)")
      }
      let other = try await server.ask("/events") { $0.split(separator: "\nid: ").count > 20 }
      #expect(Self.pictures(other).isEmpty)
    }

    @Test("a picture adds up most of many subscriptions, and counts those that have fallen behind")
    func crowd() async throws {
      let server = try await DemoServer(["--interval", "0.005", "--watch", here])
      let others = try (0..<20).map { _ in try server.request("/events") }
      _ = try await server.ask("/events?pictures") { Self.pictures($0).last?.contains(#""label":"14 more""#) == true }
      _ = try await server.ask("/events?pictures") { Self.pictures($0).last?.contains(#"{"board":20}"#) == true }
      withExtendedLifetime(others) {}
    }

    private static func pictures(_ text: String) -> [Substring] {
      text.matches(of: /\nevent: picture\ndata: (.*)\n\n/).map(\.1)
    }

    @Test("the page's switches make loads fail, and everybody sees them")
    func switches() async throws {
      let server = try await DemoServer(["--interval", "0.05", "--watch", here])
      let on = #"{"fails":true,"isSlow":true}"#
      let own = ["Host: localhost", "Origin: http://localhost", "Sec-Fetch-Site: same-origin"]
      #expect(try await server.turn(on, own).hasPrefix("HTTP/1.1 204"))
      _ = try await server.ask("/events?pictures") { Self.pictures($0).last?.contains(#""trouble":\#(on)"#) == true }
      _ = try await server.ask("/events") { $0.contains(#""error":"failed on purpose""#) }
      // An older browser doesn't tell more than the origin. The body may come later than the head.
      let name = "localhost:\(server.port)"
      let off = #"{"fails":false}"#
      let late = try server.request(
        "/switches", method: "POST", ["Host: \(name)", "Origin: http://\(name)", "Content-Length: \(off.utf8.count)"])
      try late.send(String(off.prefix(5)))
      try late.send(String(off.dropFirst(5)))
      #expect(try await late.read().hasPrefix("HTTP/1.1 204"))
      _ = try await server.ask("/events?pictures") { text in
        Self.pictures(text).last?.contains(#""trouble":{"fails":false,"isSlow":true}"#) == true
      }
      // A subscriber that is slow doesn't hold up the end.
      server.demo.send(SIGTERM)
      #expect(await server.demo.end().status == 0)
    }

    @Test("no other page can turn the switches, and no other request")
    func foreignSwitches() async throws {
      let server = try await DemoServer(["--watch", here])
      let (host, origin) = ("Host: localhost", "Origin: http://localhost")
      let on = #"{"fails":true,"isSlow":true}"#
      for headers in [
        [host], [host, "Origin: null"], [host, "Origin: http://example.com"], [host, "Origin: http://localhost:1"],
        [host, "Origin: https://localhost"], [host, "Origin: "], [host, origin, origin],
        [host, origin, "Sec-Fetch-Site: cross-site"], [host, origin, "Sec-Fetch-Site: same-site"],
      ] {
        #expect(try await server.turn(on, headers).hasPrefix("HTTP/1.1 403"), "\(headers)")
      }
      #expect(try await server.turn(on, ["Host: example.com", "Origin: http://example.com"]).hasPrefix("HTTP/1.1 421"))
      for method in ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"] {
        let answer = try await server.ask("/switches", method: method, [host, origin])
        #expect(answer.hasPrefix("HTTP/1.1 405") && answer.contains("\r\nAllow: POST\r\n"), "\(answer)")
      }
      for body in ["", "[]", "fails=1", #"{"fails":1,"isSlow":0}"#, on + on] {
        #expect(try await server.turn(body, [host, origin]).hasPrefix("HTTP/1.1 400"), "\(body)")
      }
      let long = on + String(repeating: " ", count: 256)
      #expect(try await server.turn(long, [host, origin]).hasPrefix("HTTP/1.1 413"))
      for length in [
        [], ["-1"], ["+2"], ["0x2"], [""], ["2", "2"], ["2\r\nTransfer-Encoding: chunked"],
      ] {
        let headers = [host, origin] + length.map { "Content-Length: \($0)" }
        let answer = try await server.ask("/switches", method: "POST", headers)
        #expect(answer.hasPrefix("HTTP/1.1 400"), "\(length)")
      }
      let endless = "Content-Length: 99999999999999999999"
      #expect(try await server.ask("/switches", method: "POST", [host, origin, endless]).hasPrefix("HTTP/1.1 413"))
      #expect(try await server.ask("/state").contains("failed on purpose") == false)
    }
  }
#endif
