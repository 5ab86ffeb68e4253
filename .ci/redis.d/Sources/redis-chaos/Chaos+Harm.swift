import Foundation

/// What is done to the processes, the server, and their connections.
extension Chaos {
  /// What is drawn from; four kinds are twice as likely as the others.
  var harms: [(name: String, action: () throws -> Void)] {
    if pair != nil { return harmsOfPair }
    let frequent: [(String, () throws -> Void)] = [
      ("disturbed writer", { try self.disturb(self.writerProxy) }), ("disturbed mirrors", disturbMirrors),
      ("cancelled writer", cancel), ("take-over", takeOver),
    ]
    return frequent + frequent + [
      ("killed writer", killWriter), ("killed server", { try self.restartServer() }), ("killed mirrors", killMirrors),
      ("lost data", loseData), ("kept a snapshot", keepSnapshot), ("older snapshot", restore),
      ("disturbed writer, and lost data", { try self.disturb(self.writerProxy, while: self.loseDataOrRestore) }),
      ("paused writer", pause), ("limited output", limitOutput),
    ]
  }

  /// There are no proxies then, and no copies of what the servers have on disk.
  private var harmsOfPair: [(name: String, action: () throws -> Void)] {
    let frequent: [(String, () throws -> Void)] = [
      ("failover", { try self.failOver() }), ("failover in silence", failOverInSilence),
      ("cancelled writer", cancel), ("take-over", takeOver),
    ]
    return frequent + frequent + [
      ("killed writer", killWriter), ("killed server", { try self.restartServer() }), ("killed mirrors", killMirrors),
      ("lost data", loseData), ("paused writer", pause), ("paused servers", pauseServers),
      ("failover without the writer", failOverWithoutWriter),
    ]
  }

  func killWriter() throws {
    removeWriter().killNow()
    usleep(random(0...300_000))
    try startWriter()
  }

  private func killMirrors() throws {
    let number = Int(random(0...2))
    mirrors[number].killNow()
    usleep(random(0...200_000))
    try startMirrors(number)
  }

  private func restartServer(whileDown body: () throws -> Void = {}) throws {
    let server = server
    server.kill()
    try body()
    usleep(random(0...300_000))
    try server.start()
  }

  func keepSnapshot() throws {
    try restartServer { try server.keep() }
    try server.run("COPY", Program.key, "copy", "REPLACE")
  }

  private func restore() throws {
    try oracle.note(server)
    try restartServer { try server.putBack() }
  }

  private func loseData() throws {
    try oracle.note(server)
    switch random(0...6) {
    case 0: try server.run("DEL", Program.key)
    case 1: try server.run("FLUSHALL")
    case 2: try server.run("PEXPIRE", Program.key, "1")
    case 3: try server.run("XTRIM", Program.key, "MAXLEN", "0")
    case 4: try server.run("DEL", "\(Program.key):epoch")
    case 5: try evict()
    default: try server.run("COPY", "copy", Program.key, "REPLACE")
    }
  }

  /// Lets the server be full, and evict what it holds, until it has room again.
  private func evict() throws {
    try server.run("CONFIG", "SET", "maxmemory-policy", "allkeys-random")
    try server.run("CONFIG", "SET", "maxmemory", "1")
    try server.run("SET", "something", "else")
    try server.run("CONFIG", "SET", "maxmemory", "0")
    try server.run("CONFIG", "SET", "maxmemory-policy", "noeviction")
  }

  /// Lets the server cut off clients with large replies, while mirrors fall behind.
  private func limitOutput() throws {
    try server.run("CONFIG", "SET", "client-output-buffer-limit", "normal 20000 0 0")
    try disturbMirrors()
    usleep(random(0...1_000_000))
    try server.run("CONFIG", "SET", "client-output-buffer-limit", "normal 0 0 0")
  }

  /// Loses data in one of several ways, or not at all.
  private func loseDataOrRestore() throws {
    switch random(0...2) {
    case 0: try loseData()
    case 1: try pair == nil ? restore() : failOver()
    default: break
    }
  }

  private func disturbMirrors() throws {
    let (process, start) = (Int(random(0...2)), uptime())
    try disturb(mirrorProxies[process])
    oracle.noteDisturbance(of: process, from: start)
  }

  /// Lets a proxy hold bytes back, lose them, or cut its connections, for up to four time-outs, while something
  /// happens; or the replica take the primary's place.
  private func disturb(_ proxy: Line, while body: () throws -> Void = {}) throws {
    if pair != nil { return try failOver(while: body) }
    let modes = Line.Mode.allCases
    let (toServer, fromServer) = (modes[Int(random(0...2))], modes[Int(random(0...2))])
    if toServer == .passes, fromServer == .passes { proxy.cut() }
    proxy.set(toServer: toServer, fromServer: fromServer)
    try body()
    if toServer != .passes || fromServer != .passes { usleep(random(10_000...4_000_000)) }
    proxy.heal()
  }

  /// Pauses the writer; another one takes over, and perhaps the data is lost; then the first one goes on.
  private func pause() throws {
    let before = try waitForWriter().id.epoch
    let former = removeWriter()
    former.signal(SIGSTOP)
    usleep(random(0...100_000))
    try startWriter()
    try waitForWriter()
    usleep(random(0...2_500_000))
    try loseDataOrRestore()
    let old = Set(try server.entries(of: before).map(\.id))
    former.signal(SIGCONT)
    try former.end(within: 30, status: 3)
    let new = try server.entries(of: before).map(\.id).filter { !old.contains($0) }
    guard new.isEmpty else { throw Wrong(description: "\(former.name), which was paused, has written \(new)") }
  }

  /// Lets another writer take over while one of the two is disturbed, and perhaps the data is lost.
  private func takeOver() throws {
    let former = removeWriter()
    try disturb(writerProxies[(writerCount + Int(random(0...1))) % 2]) {
      usleep(random(0...1_000_000))
      try startWriter()
      usleep(random(0...3_000_000))
      if pair == nil { try loseDataOrRestore() }
    }
    try waitForWriter()
    try former.end(within: 15, status: 3)
  }

  /// Cancels the writer, while it is disturbed or not; it has to end in time, even if it can't write all of its states.
  private func cancel() throws {
    let former = removeWriter()
    let end = {
      former.signal(SIGTERM)
      // It may have no handler for the signal yet.
      try former.end(within: Self.endLimit, status: 0, 1, -SIGTERM)
    }
    if random(0...1) == 0 {
      try end()
    } else {
      try disturb(writerProxy) {
        usleep(random(0...1_000_000))
        try end()
      }
    }
    try startWriter()
  }
}
