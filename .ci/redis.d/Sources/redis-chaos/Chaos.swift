import Foundation

/// The driver: starts the processes, does harm, and checks.
final class Chaos {
  private static let mirrorCounts = [3, 3, 2]

  private let folder: String
  private let server: Server
  private let writerProxy: Proxy
  private let mirrorProxies: [Proxy]
  private var random: Random
  private var oracle = Oracle()
  private var writers: [Child] = []
  private var mirrors: [Child] = []
  private var counts: [String: Int] = [:]

  init(seed: UInt64) {
    folder = "/tmp/chaos-\(seed)-\(getpid())"
    random = Random(state: seed)
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let server = Server(folder)
    writerProxy = Proxy(at: "\(folder)/writer", to: server.socket)
    mirrorProxies = Self.mirrorCounts.indices.map { [folder] in Proxy(at: "\(folder)/mirror.\($0)", to: server.socket) }
    self.server = server
  }

  func run(actions: Int) throws {
    defer { endEverything() }
    try server.start()
    try startWriter()
    for number in Self.mirrorCounts.indices { try startMirrors(number) }
    for _ in 0..<actions {
      usleep(random.next(100_000...500_000))
      try act()
      guard writers.last?.isRunning == true else { throw Wrong(description: "the writer has ended: see its output") }
      for mirror in mirrors where !mirror.isRunning { throw Wrong(description: "\(mirror.name) has ended") }
    }
    try finish()
  }

  private var proxies: [Proxy] { [writerProxy] + mirrorProxies }

  // MARK: Harm

  private func act() throws {
    switch random.next(0...11) {
    case 0: try count("killed writer") { try restartWriter() }
    case 1:
      try count("killed server") {
        server.killNow()
        usleep(random.next(0...300_000))
        try server.start()
      }
    case 2:
      try count("killed mirrors") {
        let number = Int(random.next(0...2))
        mirrors[number].killNow()
        usleep(random.next(0...200_000))
        try startMirrors(number)
      }
    case 3, 4: try count("disturbed writer") { disturb(writerProxy) }
    case 5, 6: try count("disturbed mirrors") { disturb(mirrorProxies[Int(random.next(0...2))]) }
    case 7: try count("lost data") { try loseData() }
    case 8:
      try count("kept a snapshot") {
        server.killNow()
        try server.keep()
        try server.start()
        try server.command("COPY", Program.key, "copy", "REPLACE")
      }
    case 9: if server.hasSnapshot { try count("older snapshot") { try restore() } }
    default: try count("paused writer") { try pause() }
    }
  }

  private func count(_ name: String, _ action: () throws -> Void) throws {
    counts[name, default: 0] += 1
    print("\(DispatchTime.now().uptimeNanoseconds) \(name)")
    fflush(nil)
    try action()
  }

  /// Lets a proxy hold bytes back, lose them, or cut its connections, for up to three time-outs.
  private func disturb(_ proxy: Proxy) {
    let modes = Proxy.Mode.allCases
    let (toServer, fromServer) = (modes[Int(random.next(0...2))], modes[Int(random.next(0...2))])
    if toServer == .passes, fromServer == .passes { return proxy.cut() }
    proxy.set(toServer: toServer, fromServer: fromServer)
    usleep(random.next(10_000...3_000_000))
    proxy.heal()
  }

  private func loseData() throws {
    try oracle.note(server)
    switch random.next(0...5) {
    case 0: try server.command("DEL", Program.key)
    case 1: try server.command("FLUSHALL")
    case 2: try server.command("PEXPIRE", Program.key, "1")
    case 3: try server.command("XTRIM", Program.key, "MAXLEN", "0")
    case 4: try server.command("DEL", "\(Program.key):epoch")
    default: try server.command("COPY", "copy", Program.key, "REPLACE")
    }
  }

  private func restore() throws {
    try oracle.note(server)
    server.killNow()
    try server.restore()
    usleep(random.next(0...300_000))
    try server.start()
  }

  /// Pauses the writer; another one takes over, and perhaps the data is lost; then the first one goes on.
  private func pause() throws {
    let before = try waitForWriter().id.epoch
    let former = writers.removeLast()
    former.signal(SIGSTOP)
    usleep(random.next(0...100_000))
    try startWriter()
    _ = try waitForWriter()
    usleep(random.next(0...2_500_000))
    switch random.next(0...2) {
    case 0: try loseData()
    case 1: if server.hasSnapshot { try restore() }
    default: break
    }
    let old = Set(try server.entries(of: before).map(\.id))
    former.signal(SIGCONT)
    let status = try former.end(within: 30)
    guard status == 3 else { throw Wrong(description: "the writer that was paused ends with \(status)") }
    let new = try server.entries(of: before).map(\.id).filter { !old.contains($0) }
    guard new.isEmpty else {
      throw Wrong(description: "the writer that was paused has written \(new.count): \(new[0])")
    }
  }

  // MARK: Processes

  private var program: String { CommandLine.arguments[0] }
  private var writerCount = 0

  private func startWriter() throws {
    writerCount += 1
    writers.append(
      try Child(
        "writer \(writerCount)", [program, "write", folder, "\(writerCount)"], output: "\(folder)/writer.out"))
  }

  private func restartWriter() throws {
    writers.removeLast().killNow()
    usleep(random.next(0...300_000))
    try startWriter()
  }

  private func startMirrors(_ number: Int) throws {
    let child = try Child(
      "mirrors \(number)", [program, "mirror", folder, "\(number)", "\(Self.mirrorCounts[number])"],
      output: "\(folder)/mirror.\(number).out")
    if number < mirrors.count { mirrors[number] = child } else { mirrors.append(child) }
  }

  /// Waits until the last writer has written, and returns the last entry.
  private func waitForWriter() throws -> Entry {
    var last: Entry?
    try wait("states of writer \(writerCount)", seconds: 30) {
      last = try server.entries("XREVRANGE", "+", "-", "COUNT", "1").last
      return last?.value.map { $0 / Numbers.eachWriter } == writerCount
    }
    guard let last else { throw Wrong(description: "no entry") }
    return last
  }

  // MARK: The end

  private func finish() throws {
    for proxy in proxies { proxy.heal() }
    try Data().write(to: URL(filePath: "\(folder)/stop"))
    let file = "\(folder)/last.\(writerCount)"
    try wait("the writer's last number", seconds: 30) { FileManager.default.fileExists(atPath: file) }
    let last = try String(contentsOfFile: file, encoding: .utf8)
    let logs = Self.mirrorCounts.enumerated().flatMap { [folder] process, count in
      (0..<count).map { "\(folder)/log.\(process).\($0)" }
    }
    for log in logs {
      try wait("\(last) in \(log)", seconds: 60) { try lastLine(of: log).hasPrefix("\(last) ") }
    }
    try oracle.note(server)
    // SIGTERM once more, in case that a process was just about to handle it.
    for child in writers + mirrors { child.signal(SIGTERM) }
    for child in writers + mirrors {
      let status = try child.end(within: 30)
      guard status == 0 else { throw Wrong(description: "\(child.name) ends with \(status)") }
    }
    for log in logs { try oracle.check(log) }
    print("\(oracle.judged) states judged, \(counts.map { "\($0) × \($1)" }.sorted().joined(separator: ", "))")
    try? FileManager.default.removeItem(atPath: folder)
  }

  private func endEverything() {
    for child in writers + mirrors {
      child.signal(SIGCONT)
      child.signal(SIGKILL)
    }
    server.killNow()
  }

  private func lastLine(of log: String) throws -> String {
    let handle = try FileHandle(forReadingFrom: URL(filePath: log))
    defer { try? handle.close() }
    let size = try handle.seekToEnd()
    try handle.seek(toOffset: size > 200 ? size - 200 : 0)
    return String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\n").last.map(
      String.init) ?? ""
  }

  private func wait(_ what: String, seconds: Double, _ condition: () throws -> Bool) throws {
    let limit = Date() + seconds
    while try !condition() {
      guard Date() < limit else { throw Wrong(description: "no \(what) within \(seconds) s") }
      usleep(10_000)
    }
  }
}

/// Numbers that a seed determines.
struct Random {
  var state: UInt64

  mutating func next(_ range: ClosedRange<UInt32>) -> UInt32 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    bits ^= bits >> 31
    return range.lowerBound + UInt32(bits % UInt64(range.upperBound - range.lowerBound + 1))
  }
}
