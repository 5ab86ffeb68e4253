// Repeats one kind of work, always in the same way and on few threads, so that its instructions can be counted:
// `counted WORK SUBSCRIBERS TIMES`.
import Dispatch
import SubPub

let arguments = CommandLine.arguments
guard arguments.count == 4, let subscribers = Int(arguments[2]), let times = Int(arguments[3]) else {
  fatalError("usage: counted (thread|executor|latest|queue|subscribe) SUBSCRIBERS TIMES")
}
let publisher = Publisher<[Int]>()
let counters = (0..<subscribers).map { _ in Counter() }
let payload = [1, 2, 3]

switch arguments[1] {
case "thread":
  for counter in counters { publisher.subscribe(counter, on: .immediate) }
  for _ in 0..<times { publisher.updateData(payload) }
  check(times + 1)
case "executor":
  publishInBursts(buffering: .unbounded)
  check(times + 1)
case "latest":
  // Of each burst, only the last state is delivered.
  check(publishInBursts(buffering: .latest) + 1)
case "queue":
  // Published while the queue is suspended, and then delivered, so that only one thread runs at a time.
  let (queue, burst) = (DispatchQueue(label: "counted"), 100)
  for counter in counters { publisher.subscribe(counter, on: .queue(queue)) }
  let served = DispatchSemaphore(value: 0)
  let last = Last { if $0 % burst == 0 { served.signal() } }
  publisher.subscribe(last, on: .queue(queue)) { last, _ in last.receive() }
  served.wait()
  for _ in 0..<times / burst {
    queue.suspend()
    for _ in 0..<burst { publisher.updateData(payload) }
    queue.resume()
    served.wait()
  }
  check(times + 1)
  withExtendedLifetime(last) {}
case "subscribe":
  for counter in counters { publisher.subscribe(counter, on: .immediate) }
  let newcomer = Counter()
  for _ in 0..<times { publisher.subscribe(newcomer, on: .immediate).cancel() }
  guard newcomer.count == times else { fatalError("\(newcomer.count) replays instead of \(times)") }
  check(1)
default: fatalError("there is no work '\(arguments[1])'")
}

/// Publishes the bursts of a queue and serves them on this thread: the cost of a state in the library, without
/// Dispatch.
///
/// Returns the number of bursts.
@discardableResult
func publishInBursts(buffering policy: BufferingPolicy) -> Int {
  let (executor, burst) = (ThisThread(), 20)
  for counter in counters { publisher.subscribe(counter, on: .executor(executor), buffering: policy) }
  var expected = 1
  func run() { executor.run { counters.allSatisfy { $0.count == expected } } }
  run()
  for _ in 0..<times / burst {
    for _ in 0..<burst { publisher.updateData(payload) }
    expected += policy == .latest ? 1 : burst
    run()
  }
  return times / burst
}

func check(_ expected: Int) {
  for counter in counters where counter.count != expected {
    fatalError("\(counter.count) deliveries instead of \(expected)")
  }
}
