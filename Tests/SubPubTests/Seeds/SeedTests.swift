import Testing

/// The systems that this package takes the place of, each as a reader of its document would port it.
///
/// The names in these files are those of the documents where there is one.
@Suite("Every system of the seeds can be written with this package, without loss", .timeLimit(.minutes(1)))
enum SeedTests {
  struct DataModel: Equatable, Sendable {
    let name: String
    init(_ name: String) { self.name = name }
  }

  enum EndpointError: Error, Equatable { case offline, denied }
}
