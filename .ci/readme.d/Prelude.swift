// Declarations that code blocks of the documents may use; `.ci/readme` compiles this file with each of them.
// A block may declare the same name and hide the one here.

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
  func add(_ news: News) async throws -> [News] { [news] }
  func ticks() -> AsyncStream<Int> { AsyncStream { $0.finish() } }
}

let endpoint = Endpoint()
let news: [News] = []
let draft = News(title: "draft")
let user = User()
let publisher = Publisher<[News]>(label: "news")
let queue = DispatchQueue(label: "work")

/// A view controller.
@MainActor final class Screen {
  var title = ""
  func show(_ state: LoadState<[News]>) {}
}

/// A class that any thread may use.
final class Log: Sendable, DownloadDelegate {
  func write(_ state: LoadState<[News]>) {}
  func write(_ line: String) {}
  func downloadFinished() {}
}

protocol DownloadDelegate: AnyObject, Sendable {
  func downloadFinished()
}

func show(_ state: LoadState<[String]>) {}

/// An actor.
actor Store {
  var news: [News] = []
  func save(_ state: LoadState<[News]>) {}
}

/// A handler of the errors of all publishers.
final class ErrorHandler: Subscriber {
  func receive(_ publication: any AnyPublication) {}
}

@MainActor let screen = Screen()
let log = Log()
let store = Store()
let errors = ErrorHandler()
let manager = LoadingManager<[News]> { try await endpoint.news() }
let recorder = Recorder<[News]>()
