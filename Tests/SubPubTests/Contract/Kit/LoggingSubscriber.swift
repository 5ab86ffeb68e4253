import SubPub
import SubPubTesting

/// One of several subscribers that write into one log, and may react to what they receive.
final class LoggingSubscriber: TypedSubscriber {
  let name: String
  let depth = NestingDepth()
  private let log: Recorder<String>
  private let react: @Sendable (_ version: UInt64) -> Void

  init(_ name: String, log: Recorder<String>, react: @escaping @Sendable (UInt64) -> Void = { _ in }) {
    self.name = name
    self.log = log
    self.react = react
  }

  func receive(_ state: LoadState<Int>) {}

  /// Logs `name@version`, then reacts.
  func receive(_ publication: Publication<Int>) {
    depth.enter()
    defer { depth.leave() }
    log.receive(.loaded("\(name)@\(publication.version)"))
    react(publication.version)
  }
}
