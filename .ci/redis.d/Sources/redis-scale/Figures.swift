import Foundation
import SubPub
import SubPubRedis
import Synchronization

/// What the process uses.
enum Usage {
  static var threads: Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0 }

  static var bytes: Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * Int(getpagesize())
  }

  /// The processor time so far, in seconds.
  static var seconds: Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }
}

func until(_ isSo: () -> Bool) async throws {
  while !isSo() { try await Task.sleep(for: .milliseconds(20)) }
}

/// Outlets and mirrors that have nothing to do.
func idle(_ count: Int) async throws {
  let publishers = (0..<count).map { Publisher<Int>(initial: $0) }
  let before = Usage.bytes
  let outlets = publishers.enumerated().map { number, publisher in
    RedisOutlet(publisher, key: "idle \(number)", endpoint: endpoint)
  }
  let start = ContinuousClock.now
  let writing = outlets.map { outlet in Task { try await outlet.run() } }
  var threads = 0
  try await until {
    threads = max(threads, Usage.threads)
    return outlets.allSatisfy { $0.statistics.entries == 1 }
  }
  print("\(count) outlets have begun after \(start.duration(to: .now)), with up to \(threads) threads")
  check("an outlet's memory", Double(Usage.bytes - before) / Double(count) / 1_024, atMost: 16, "KB")
  let mirrors = publishers.indices.map { RedisMirror<Int>(key: "idle \($0)", endpoint: endpoint) }
  let between = Usage.bytes
  let reading = mirrors.map { mirror in Task { try await mirror.run() } }
  try await until { mirrors.allSatisfy { $0.publisher.state.phase == .loaded } }
  check("a mirror's memory", Double(Usage.bytes - between) / Double(count) / 1_024, atMost: 16, "KB")
  // What they do at the beginning is over.
  try await Task.sleep(for: .seconds(3))
  let used = Usage.seconds
  try await Task.sleep(for: .seconds(10))
  check("\(count) idle outlets and mirrors", (Usage.seconds - used) * 10, atMost: 5, "% of a processor")
  check("threads", Double(Usage.threads), atMost: 8, "threads")
  let end = ContinuousClock.now
  for run in writing + reading { run.cancel() }
  for run in writing + reading { try await run.value }
  print("they have ended after \(end.duration(to: .now))")
}

/// Outlets to a server that accepts connections and says nothing.
func blackHole(_ count: Int) async throws {
  let path = NSTemporaryDirectory() + "hole-\(UUID())"
  let hole = socketThatListens(at: path)
  defer {
    close(hole)
    unlink(path)
  }
  let publisher = Publisher<Int>(initial: 1)
  let runs = (0..<count).map { number in
    let outlet = RedisOutlet(
      publisher, key: "\(number)", endpoint: RedisEndpoint(unixSocket: path, timeout: .seconds(2)))
    return Task { try await outlet.run() }
  }
  let queue = DispatchQueue(label: "unrelated")
  var longest = Duration.zero
  let start = ContinuousClock.now
  while start.duration(to: .now) < .seconds(5) {
    let begin = ContinuousClock.now
    // In the block: what goes on afterwards waits for Swift's threads, and not for the queue.
    let end = await withCheckedContinuation { passed in
      queue.async { passed.resume(returning: ContinuousClock.now) }
    }
    longest = max(longest, begin.duration(to: end))
    try await Task.sleep(for: .milliseconds(5))
  }
  check("a serial queue beside \(count) outlets without a server", longest / .milliseconds(1), atMost: 5, "ms")
  for run in runs { run.cancel() }
  for run in runs { _ = await run.result }
}

private func socketThatListens(at path: String) -> Int32 {
  let descriptor = Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
  let size = socklen_t(MemoryLayout<sockaddr_un>.size)
  let result = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
  }
  guard result == 0, listen(descriptor, 512) == 0 else { fatalError("cannot listen") }
  return descriptor
}

/// Many mirrors of one key in one process.
func hotKey(mirrors count: Int, rate: Int, seconds: Int) async throws {
  let publisher = Publisher<Int>(initial: 0)
  let outlet = RedisOutlet(publisher, key: "hot", endpoint: endpoint)
  let mirrors = (0..<count).map { _ in RedisMirror<Int>(key: "hot", endpoint: endpoint) }
  let begun = Mutex<[Int: ContinuousClock.Instant]>([:])
  let delays = Mutex<[Duration]>([])
  let observations = mirrors.map { mirror in
    mirror.publisher.observe(on: .immediate) { publication in
      guard let number = publication.state.value, let start = begun.withLock({ $0[number] }) else { return }
      let delay = start.duration(to: .now)
      delays.withLock { $0.append(delay) }
    }
  }
  let runs = [Task { try await outlet.run() }] + mirrors.map { mirror in Task { try await mirror.run() } }
  try await until { mirrors.allSatisfy { $0.publisher.state.phase == .loaded } }
  let start = ContinuousClock.now
  for number in 1...rate * seconds {
    try await Task.sleep(until: start + .seconds(1) / rate * number)
    begun.withLock { $0[number] = .now }
    publisher.updateData(number)
  }
  try await until { delays.withLock { $0.count } == count * rate * seconds }
  let sorted = delays.withLock { $0 }.sorted()
  check("\(count) mirrors of one key, p99", sorted[sorted.count * 99 / 100] / .milliseconds(1), atMost: 10, "ms")
  withExtendedLifetime(observations) {}
  for run in runs { run.cancel() }
  for run in runs { try await run.value }
}
