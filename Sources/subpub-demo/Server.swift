#if Redis
  import SubPub
  import SubPubRedis

  /// A Redis server, over which another process shows what this one reads.
  struct Server: Equatable {
    private let endpoint: RedisEndpoint

    /// Parses the value of an option.
    init(_ name: String, _ text: String) throws(UsageError) {
      do { endpoint = try RedisEndpoint(url: text) } catch { throw .notAServer(name, error.description) }
    }

    /// Creates a manager whose data is what another process publishes.
    func mirror<Value: Codable & Sendable>(
      _ label: String, staleAfter: Duration, _ meter: Meter?
    ) -> any Manager<Value> {
      RedisMirror(
        key: key(label), endpoint: endpoint, label: label, staleAfter: staleAfter, instrumentation: meter)
    }

    /// Follows another process until the task is cancelled; does nothing for other managers.
    static func follow<Value: Codable & Sendable>(_ manager: any Manager<Value>) async throws {
      try await (manager as? RedisMirror<Value>)?.run()
    }

    /// Writes the states of a publisher until the task is cancelled.
    func write<Value: Codable & Sendable>(_ publisher: Publisher<Value>, _ console: Console) async throws {
      // Without a server, each attempt fails in the same way.
      let reporter = ChangeReporter(console)
      let outlet = RedisOutlet(publisher, key: key(publisher.label ?? "\(publisher.id)"), endpoint: endpoint) {
        reporter.report("\($0)")
      }
      try await outlet.run()
    }

    private func key(_ label: String) -> String { "subpub-demo \(label)" }
  }

  extension Server: CustomStringConvertible {
    var description: String { "\(endpoint)" }
  }
#else
  import SubPub

  /// A server that can't be made, because this program was built without the trait `Redis`.
  struct Server: Equatable {
    init(_ name: String, _ text: String) throws(UsageError) { throw .withoutRedis(name) }

    func mirror<Value: Sendable>(_ label: String, staleAfter: Duration, _ meter: Meter?) -> any Manager<Value> {
      fatalError("there is no server")
    }
    static func follow<Value: Sendable>(_ manager: any Manager<Value>) async throws {}
    func write<Value: Sendable>(_ publisher: Publisher<Value>, _ console: Console) async throws {}
  }
#endif
