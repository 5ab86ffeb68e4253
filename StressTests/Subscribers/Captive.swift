import Dispatch
import SubPub

/// A subscription that is cancelled while its delivery is certainly under way on another thread.
enum Captive {
  private static let venues: [Venue] = [
    .background, .serialQueue, .concurrentQueue, .independent, .queueExecutor, .concurrentExecutor, .queueActor,
  ]

  /// Subscribes one, waits inside its first delivery, cancels it from here, and lets it go on.
  static func cancel(of stage: Stage, _ random: inout SplitMix, by joiner: Int, order: Int) -> Stage.Joined {
    let (began, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let place = Places.shared.draw(random.pick(venues), &random)
    let role = Role(place: place, face: random.pick(Face.anywhere), policy: .draw(&random))
    let joined = stage.join(role, by: joiner, order: order) { _, _ in
      began.signal()
      // Should nobody come, the checker sees it.
      _ = mayEnd.wait(timeout: .now() + .seconds(30))
    }
    let isUnderWay = began.wait(timeout: .now() + .seconds(30)) == .success
    joined.member.cancel(mustFindItUnderWay: isUnderWay)
    mayEnd.signal()
    return joined
  }
}
