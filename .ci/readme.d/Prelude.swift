// What a fragment of the documents may use without declaring it; `.ci/readme` compiles it beside each fragment.
// A fragment that declares one of these names itself hides the one here.

import Dispatch
import SubPub
import SubPubTesting

struct News: Equatable, Sendable {
  var title = ""
}

struct User: Equatable, Sendable {
  var name = ""
}

/// Stands for a server.
struct Endpoint: Sendable {
  func news() async throws -> [News] { [] }
  func user() async throws -> User { User() }
}

let endpoint = Endpoint()
let news: [News] = []
let user = User()
let publisher = Publisher<[News]>(label: "news")
let queue = DispatchQueue(label: "work")

/// A view controller: main-actor state, and no conformance.
@MainActor final class Screen {
  var title = ""
  func show(_ state: LoadState<[News]>) {}
}

/// A class that any thread may use, and no conformance.
final class Log: Sendable {
  func write(_ state: LoadState<[News]>) {}
}

/// An actor.
actor Store {
  var news: [News] = []
  func save(_ state: LoadState<[News]>) {}
}

/// A handler of what every publisher says.
final class ErrorHandler: Subscriber {
  func receive(_ publication: any AnyPublication) {}
}

@MainActor let screen = Screen()
let log = Log()
let store = Store()
let errors = ErrorHandler()
let manager = LoadingManager<[News]> { try await endpoint.news() }
let recorder = Recorder<[News]>()
