import Dispatch
import SubPub

/// Every context there is, of which several are shared by many subscriptions.
struct Contexts: Sendable {
  private let serial = [DispatchQueue(label: "serial 1"), DispatchQueue(label: "serial 2")]
  private let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
  private let executor = QueueExecutor(label: "executor")
  private let actors = [Host(), Host()]

  private actor Host {}

  func draw(_ random: inout SplitMix) -> Delivery {
    switch random.draw(8) {
    case 0: .immediate
    case 1: .main
    case 2: .background
    case 3: .queue(serial[random.draw(serial.count)])
    case 4: .queue(concurrent)
    case 5: .queue(concurrent, independent: true)
    case 6: .executor(executor)
    default: .actor(actors[random.draw(actors.count)])
    }
  }
}

extension BufferingPolicy {
  static func draw(_ random: inout SplitMix) -> BufferingPolicy {
    switch random.draw(4) {
    case 0: .unbounded
    case 1: .latest
    case 2: .newest(1 + random.draw(4))
    default: .oldest(1 + random.draw(4))
    }
  }
}
