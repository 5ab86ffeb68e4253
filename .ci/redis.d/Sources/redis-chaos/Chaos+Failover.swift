import Foundation

/// What is done to two servers, of which a sentinel makes one the primary.
extension Chaos {
  /// Kills or pauses the primary until its replica has taken its place, and lets it come back, which takes itself for
  /// the primary at first; the replica may have missed the last entries.
  func failOver(isLate: Bool? = nil, while body: () throws -> Void = {}) throws {
    let (primary, replica) = try pair!.settled()
    let (isKilled, isBehind) = (random(0...1) == 0, random(0...1) == 0)
    let isLate = isLate ?? (random(0...1) == 0)
    let start = uptime()
    if isBehind {
      replica.signal(SIGSTOP)
      try primary.run("CLIENT", "KILL", "TYPE", "replica")
      usleep(random(0...300_000))
    }
    if !isLate {
      try body()
      // It can take this long on a busy machine; the sentinel then promotes no such replica.
      if isBehind, uptime() > start + 8_000_000_000 { return replica.signal(SIGCONT) }
    }
    try oracle.note(primary, keepsSome: true)
    if isKilled { primary.kill() } else { primary.signal(SIGSTOP) }
    replica.signal(SIGCONT)
    if isLate { try body() }
    try wait(for: "failover", seconds: 60) { pair!.primary === replica }
    usleep(random(0...1_000_000))
    if isKilled { try primary.start() } else { primary.signal(SIGCONT) }
  }

  /// Lets the writer publish nothing more when the replica misses what it writes, or the primary has gone; the last
  /// number has to be on the server, and to be shown, though none follows.
  func failOverInSilence() throws {
    var last = ""
    try failOver {
      usleep(random(0...300_000))
      last = try stopPublishing()
    }
    try wait(for: "\(last) on the server", seconds: 30) {
      try server.entries("XREVRANGE", "+", "-", "COUNT", "1").last?.value == Int(last)
    }
    try waitForMirrors(toShow: last)
    try goOnPublishing()
  }

  /// Lets another writer begin, which the replica may know nothing of, though mirrors show what it has written.
  func failOverWithoutWriter() throws {
    try failOver(isLate: false) {
      try killWriter()
      try waitForWriter()
      usleep(random(0...300_000))
    }
    try waitForWriter()
  }

  /// Pauses both servers, so that nobody can take the primary's place, for up to four time-outs.
  func pauseServers() throws {
    try oracle.note(server, keepsSome: true)
    let start = uptime()
    for server in pair!.servers { server.signal(SIGSTOP) }
    usleep(random(10_000...4_000_000))
    for server in pair!.servers { server.signal(SIGCONT) }
    for process in mirrors.indices { oracle.noteDisturbance(of: process, from: start) }
  }
}
