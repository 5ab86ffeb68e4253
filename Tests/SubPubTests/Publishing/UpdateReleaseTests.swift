import Dispatch
import SubPub
import SubPubTesting
import Testing

extension PublishingTests {
  @Suite("What an update displaces dies outside it")
  struct UpdateReleaseTests {
    /// Publishes when it dies.
    final class Farewell: Sendable {
      let publisher: Publisher<Farewell>
      init(_ publisher: Publisher<Farewell>) { self.publisher = publisher }
      deinit { publisher.startLoading() }
    }

    @Test("a payload may publish from its deinit when another thread came first")
    func required_1_04_overtaken() async {
      let publisher = Publisher<Farewell>()
      publisher.updateData(Farewell(publisher))
      var runs = 0
      publisher.update { _ in
        runs += 1
        if runs == 1 {
          // Another thread comes first; the payload that was read is held by this update alone then.
          let (publisher, done) = (publisher, Gate())
          DispatchQueue.global().async {
            publisher.reset()
            done.open()
          }
          done.pass()
        }
        return .unknown
      }
      #expect(runs >= 2)
      #expect(publisher.current.version >= 4)
      publisher.reset()
    }
  }
}
