import Foundation

/// What is done to the processes, the server, and their connections.
extension Chaos {
  func act() throws {
    switch random.next(0...15) {
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
    case 3, 4: try count("disturbed writer") { try disturb(writerProxy) }
    case 5, 6:
      try count("disturbed mirrors") {
        let (process, start) = (Int(random.next(0...2)), DispatchTime.now().uptimeNanoseconds)
        try disturb(mirrorProxies[process])
        oracle.noteDisturbance(of: process, from: start)
      }
    case 7: try count("lost data") { try loseData() }
    case 8:
      try count("kept a snapshot") {
        server.killNow()
        try server.keep()
        try server.start()
        try server.command("COPY", Program.key, "copy", "REPLACE")
      }
    case 9: if server.hasSnapshot { try count("older snapshot") { try restore() } }
    case 10: try count("disturbed writer, and lost data") { try disturb(writerProxy) { try loseDataOrRestore() } }
    case 11, 12: try count("cancelled writer") { try cancel() }
    case 13, 14: try count("take-over") { try takeOver() }
    default: try count("paused writer") { try pause() }
    }
  }

  private func count(_ name: String, _ action: () throws -> Void) throws {
    counts[name, default: 0] += 1
    print("\(DispatchTime.now().uptimeNanoseconds) \(name)")
    fflush(nil)
    try action()
  }

  /// Lets a proxy hold bytes back, lose them, or cut its connections, for up to four time-outs, while something happens.
  private func disturb(_ proxy: Proxy, while body: () throws -> Void = {}) throws {
    let modes = Proxy.Mode.allCases
    let (toServer, fromServer) = (modes[Int(random.next(0...2))], modes[Int(random.next(0...2))])
    if toServer == .passes, fromServer == .passes { proxy.cut() }
    proxy.set(toServer: toServer, fromServer: fromServer)
    try body()
    if toServer != .passes || fromServer != .passes { usleep(random.next(10_000...4_000_000)) }
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

  /// Loses data in one of three ways, or not at all.
  private func loseDataOrRestore() throws {
    switch random.next(0...2) {
    case 0: try loseData()
    case 1: if server.hasSnapshot { try restore() }
    default: break
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
    let former = removeWriter()
    former.signal(SIGSTOP)
    usleep(random.next(0...100_000))
    try startWriter()
    _ = try waitForWriter()
    usleep(random.next(0...2_500_000))
    try loseDataOrRestore()
    let old = Set(try server.entries(of: before).map(\.id))
    former.signal(SIGCONT)
    let status = try former.end(within: 30)
    guard status == 3 else { throw Wrong(description: "the writer that was paused ends with \(status)") }
    let new = try server.entries(of: before).map(\.id).filter { !old.contains($0) }
    guard new.isEmpty else {
      throw Wrong(description: "the writer that was paused has written \(new.count): \(new[0])")
    }
  }

  /// Lets another writer take over while one of the two is disturbed, and perhaps the data is lost.
  private func takeOver() throws {
    let former = removeWriter()
    let number = writerCount + Int(random.next(0...1))
    try disturb(writerProxies[number % 2]) {
      usleep(random.next(0...1_000_000))
      try startWriter()
      usleep(random.next(0...3_000_000))
      try loseDataOrRestore()
    }
    _ = try waitForWriter()
    let status = try former.end(within: 15)
    guard status == 3 else { throw Wrong(description: "the writer before ends with \(status)") }
  }

  /// Cancels the writer, while it is disturbed or not; it has to end in time, even if it can't write all of its states.
  private func cancel() throws {
    let former = removeWriter()
    let end = {
      let status = try former.end(within: Self.endLimit)
      // It may have no handler for the signal yet.
      guard [0, 1, -SIGTERM].contains(status) else { throw Wrong(description: "cancelled, it ends with \(status)") }
    }
    if random.next(0...1) == 0 {
      former.signal(SIGTERM)
      try end()
    } else {
      try disturb(writerProxy) {
        usleep(random.next(0...1_000_000))
        former.signal(SIGTERM)
        try end()
      }
    }
    try startWriter()
  }
}
