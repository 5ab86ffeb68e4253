// Declarations that code blocks of the documents may use; `.ci/readme` compiles this file with each of them.
// A block may declare the same name and hide the one here. What isn't on the main actor says `nonisolated`, since
// blocks of some documents are compiled with the main actor as the default isolation, too.

import Dispatch
import SubPub
import SubPubTesting

nonisolated struct News: Equatable, Sendable {
  var title = ""
}

nonisolated struct User: Equatable, Sendable {
  var name = ""
}

/// Stands for a server.
nonisolated struct Endpoint: Sendable {
  func news() async throws -> [News] { [] }
  func user() async throws -> User { User() }
  func add(_ news: News) async throws -> [News] { [news] }
  func create(_ news: News) async throws -> News { news }
  func delete(_ news: News) async throws {}
  func ticks() -> AsyncStream<Int> { AsyncStream { $0.finish() } }
}

nonisolated let endpoint = Endpoint()
nonisolated let news: [News] = []
nonisolated let draft = News(title: "draft")
nonisolated let user = User()
nonisolated let publisher = Publisher<[News]>(label: "news")
nonisolated let queue = DispatchQueue(label: "work")

/// A view controller.
@MainActor final class Screen {
  var title = ""
  func show(_ state: LoadState<[News]>) {}
}

/// A class that any thread may use.
nonisolated final class Log: Sendable, DownloadDelegate {
  func write(_ state: LoadState<[News]>) {}
  func write(_ line: String) {}
  func downloadFinished() {}
}

nonisolated protocol DownloadDelegate: AnyObject, Sendable {
  func downloadFinished()
}

nonisolated func show(_ state: LoadState<[String]>) {}

/// An actor.
actor Store {
  var news: [News] = []
  func save(_ state: LoadState<[News]>) {}
}

/// A handler of the errors of all publishers.
nonisolated final class ErrorHandler: Subscriber {
  func receive(_ publication: any AnyPublication) {}
}

@MainActor let screen = Screen()
nonisolated let log = Log()
nonisolated let store = Store()
nonisolated let errors = ErrorHandler()
nonisolated let manager = LoadingManager<[News]> { try await endpoint.news() }
nonisolated let recorder = Recorder<[News]>()

nonisolated let selection = Publisher<Int>()
nonisolated let pages = [Publisher<String>(), Publisher<String>()]
nonisolated let sensors = [Publisher<Double>(), Publisher<Double>()]
