import Dispatch

/// One `queue.async` for each publish, which runs the loop.
struct AsyncPerPublish<Listener: Receiver>: Broadcaster {
  private let loop: LockedWeakLoop<Listener>
  private let queue: DispatchQueue

  init(to listeners: [Listener], on queue: DispatchQueue) {
    loop = LockedWeakLoop(to: listeners)
    self.queue = queue
  }

  func publish(_ value: [Int]) {
    queue.async { [loop] in loop.publish(value) }
  }

  func settle() async { await queue.settle() }
}
