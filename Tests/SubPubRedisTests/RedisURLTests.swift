#if Redis
  import Testing

  @Suite("The URL of a server")
  struct RedisURLTests {
    @Test(
      "a URL names an endpoint",
      arguments: [
        ("redis://cache", RedisEndpoint(host: "cache")),
        ("REDIS://cache/", RedisEndpoint(host: "cache")),
        ("redis://cache:6380/3", RedisEndpoint(host: "cache", port: 6_380, database: 3)),
        ("redis://[::1]:6380", RedisEndpoint(host: "::1", port: 6_380)),
        ("redis://me:p%40ss%3A%2Fword@cache", RedisEndpoint(host: "cache", username: "me", password: "p@ss:/word")),
        ("redis://:a@b@cache", RedisEndpoint(host: "cache", password: "a@b")),
        ("redis://:@cache", RedisEndpoint(host: "cache", password: "")),
        ("redis+unix:///run/redis%20one.sock?db=2", RedisEndpoint(unixSocket: "/run/redis one.sock", database: 2)),
        ("unix:///run/me%40cache", RedisEndpoint(unixSocket: "/run/me@cache")),
        ("unix://me:secret@/run/s", RedisEndpoint(unixSocket: "/run/s", username: "me", password: "secret")),
      ])
    func names(url: String, endpoint: RedisEndpoint) throws { #expect(try RedisEndpoint(url: url) == endpoint) }

    @Test(
      "what is no such URL is an error that says what is wrong, and not what the password is",
      arguments: [
        ("", "there is no scheme"), ("cache:6379", "there is no scheme"), ("http://cache", "isn't known"),
        ("secret:secret@cache://x", "isn't known"),
        ("redis://", "no host"), ("redis://:6379", "no host"), ("redis://cache:", "isn't a port"),
        ("redis://cache:0", "isn't a port"), ("redis://cache:65536", "isn't a port"),
        ("redis://cache:+1", "isn't a port"), ("redis://cache:99999999999999999999", "isn't a port"),
        ("redis://[::1", "isn't closed"), ("redis://[::1]6379", "isn't a port"),
        ("redis://secret@cache", "no password"),
        ("redis://cache/one", "isn't the number of a database"), ("redis://cache/-1", "isn't the number of a database"),
        ("redis://cache/1/2", "isn't the number of a database"), ("redis://user:secret/x@cache", "%2F"),
        ("redis://user:1/secret@cache", "%2F"), ("unix:///s?db=1&password=secret", "isn't db="),
        ("redis://cache?db=1", "question mark"),
        ("redis://:secret#@cache", "%23"), ("redis://:secret%zz@cache", "percent"),
        ("redis://:secret%00@cache", "percent"), ("redis://h%0a", "control"), ("redis://:secret@h%20h", "control"),
        ("redis:// cache", "no spaces"), ("redis+unix://run/socket", "three slashes"), ("redis+unix://", "no path"),
        ("redis+unix:///", "no path"), ("unix:///s?timeout=1", "isn't db="), ("unix:///s?db=x", "isn't db="),
        ("redis+sentinel://u:12/secret@h", "%2F"), ("redis+sentinel://u:12/secret@h/0", "%2F"),
        ("redis+sentinel://u:12?secret@h/0", "%3F"), ("redis+sentinel://h/cache/secret@0", "%40"),
        ("redis+unix:///u:secret@/sock", "%40"), ("unix:///sock?db=secret@1", "%40"),
      ])
    func errors(url: String, part: String) {
      let error = #expect(throws: RedisURLError.self) { try RedisEndpoint(url: url) }
      #expect(error?.description.contains(part) == true, "\(error?.description ?? "")")
      #expect(error?.description.contains("secret") != true)
    }

    #if RedisTLS
      @Test("rediss:// is encrypted")
      func encrypted() throws {
        var endpoint = RedisEndpoint(host: "cache", port: 6_380)
        endpoint.tls = RedisTLS()
        #expect(try RedisEndpoint(url: "rediss://cache:6380") == endpoint)
      }
    #else
      @Test("rediss:// names the trait that it needs")
      func encrypted() {
        let error = #expect(throws: RedisURLError.self) { try RedisEndpoint(url: "rediss://cache") }
        #expect(error?.description.contains("RedisTLS") == true)
      }
    #endif

    @Test("credentials that are set to nil leave a fixed login, and end those that are asked for")
    func noCredentials() throws {
      let fixed = try RedisEndpoint(url: "redis://me:secret@cache")
      var endpoint = fixed
      endpoint.credentials = endpoint.credentials
      #expect(endpoint == fixed)
      endpoint.credentials = { ("me", "secret") }
      #expect(endpoint != fixed)
      endpoint.credentials = nil
      #expect(endpoint == RedisEndpoint(host: "cache"))
    }

    @Test("endpoints are equal only if their hosts, logins, and files have the same bytes")
    func required_8_10_exactEndpoints() {
      let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
      #expect(composed == decomposed)
      func endpoints(_ text: String) -> [RedisEndpoint] {
        var endpoints = [
          RedisEndpoint(host: text), RedisEndpoint(unixSocket: text), RedisEndpoint(password: text),
          RedisEndpoint(username: text, password: "secret"),
        ]
        endpoints += ["redis+sentinel://\(text)/x", "redis+sentinel://x/\(text)"].compactMap {
          try? RedisEndpoint(url: $0)
        }
        #if RedisTLS
          for tls in [RedisTLS(authorities: text), RedisTLS(serverName: text)] {
            endpoints.append(RedisEndpoint())
            endpoints[endpoints.count - 1].tls = tls
          }
        #endif
        return endpoints
      }
      let all = endpoints(composed) + endpoints(decomposed)
      #expect(all.count >= 12 && Set(all).count == all.count)
      #expect(Set(all + endpoints(composed)).count == all.count)
      #expect(zip(endpoints(composed), endpoints(decomposed)).allSatisfy { $0 != $1 })
    }

    @Test("a dump of an endpoint, and of what has one, shows no login")
    func dumped() {
      var endpoint = RedisEndpoint(host: "cache", username: "the user", password: "secret")
      endpoint.clientName = "prices"
      let parts: [Any] = [
        endpoint, RedisError(endpoint: endpoint, key: "key", reason: .unwritten(1)),
        RedisSuperseded(endpoint: endpoint, key: "key"), RedisPart(isOutlet: true, key: "key", endpoint: endpoint),
        RedisOutlet(Publisher<Int>(), key: "key", endpoint: endpoint),
        RedisMirror<Int>(key: "key", endpoint: endpoint),
      ]
      for part in parts {
        var text = ""
        dump(part, to: &text)
        text += String(reflecting: part)
        #expect(text.contains("cache:6379/0") && !text.contains("secret") && !text.contains("the user"), "\(text)")
      }
    }

    @Test("an endpoint's description has no login, and its properties are checked")
    func properties() async throws {
      var endpoint = try RedisEndpoint(url: "redis://me:secret@[::1]/2")
      #expect("\(endpoint)" == "[::1]:6379/2")
      let copy = endpoint
      endpoint.clientName = "prices"
      #expect(endpoint != copy)
      endpoint.credentials = { ("me", "secret") }
      let same = endpoint
      #expect(same == endpoint && copy != endpoint)
      endpoint.credentials = { ("me", "secret") }
      #expect(same != endpoint)
      #expect(try await endpoint.credentials?() ?? ("", "") == ("me", "secret"))
    }
  }
#endif
