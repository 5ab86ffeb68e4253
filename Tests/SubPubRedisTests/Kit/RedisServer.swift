#if Redis
  import Foundation
  import SubPub

  /// A process that this one has started, and that dies with it.
  final class Child: Sendable {
    let name: String
    private let process: StartedProgram
    /// Kills it if this process dies.
    private let guardian: StartedProgram
    private let alive = Child.makePipe()

    /// Starts a program, whose output is in the folder, which may go with the program if this process dies.
    init(_ name: String, in folder: String, _ arguments: [String], removesFolder: Bool = false) throws {
      self.name = name
      let output = unsafe open("\(folder)/\(name).out", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
      process = try Self.start(arguments, output: FileHandle(fileDescriptor: output, closeOnDealloc: true))
      // The guardian, which ends at the end of a line.
      let removal = removesFolder ? "; rm -rf \"$0\"" : ""
      let command = "read -r _ || { kill -KILL \(process.number)\(removal); }"
      guardian = try Self.start(["sh", "-c", command, folder], input: alive)
    }

    /// Held while a process is started: a child that inherits what is made meanwhile would keep it open, and then
    /// nobody learns of the end of another child, or the guardian of that of this process.
    private static let starting = NSLock()

    /// Makes a pipe that no other child inherits.
    static func makePipe() -> Pipe {
      starting.withLock {
        let pipe = Pipe()
        for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
          _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        return pipe
      }
    }

    static func start(
      _ arguments: [String], from file: FileHandle? = nil, input: Pipe? = nil, output: FileHandle = .nullDevice
    ) throws -> StartedProgram {
      try starting.withLock {
        try StartedProgram(
          arguments, input: (input?.fileHandleForReading ?? file ?? .standardInput).fileDescriptor,
          output: output.fileDescriptor)
      }
    }

    var isRunning: Bool { process.isRunning }
    /// The status with which it has ended, or the signal with a minus.
    var status: Int32 { process.status ?? 0 }

    func signal(_ number: Int32) { process.signal(number) }

    /// Kills the process, which has no time to say anything.
    func killNow() {
      let isRunning = process.isRunning
      signal(SIGKILL)
      // Not before: this process may be killed at any time.
      if isRunning { dismissGuardian() }
      process.waitUntilExit()
    }

    /// Tells the guardian that there is nothing to kill any more.
    func dismissGuardian() {
      try? alive.fileHandleForWriting.write(contentsOf: [UInt8(ascii: "\n")])
      guardian.waitUntilExit()
    }
  }

  /// A server on a Unix socket in a folder of its own, which is killed when this is released.
  final class RedisServer: Sendable {
    let folder: String
    private let options: [String]
    private let isTemporary: Bool
    private let running = Locked<Child?>(nil)

    /// A temporary server's folder is removed with it.
    init(in folder: String, isTemporary: Bool, _ options: [String] = []) throws {
      (self.folder, self.isTemporary, self.options) = (folder, isTemporary, options)
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    }

    deinit {
      kill()
      if isTemporary { try? FileManager.default.removeItem(atPath: folder) }
    }

    static var program: String { ProcessInfo.processInfo.environment["REDIS_SERVER"] ?? "redis-server" }

    var socket: String { "\(folder)/socket" }

    /// Starts the server, which doesn't answer yet.
    ///
    /// Every write is on the disk before its reply, so that nothing is lost when the server is killed.
    func launch() throws {
      let child = try Child(
        "server", in: folder,
        [
          Self.program, "--port", "0", "--unixsocket", socket, "--dir", folder, "--loglevel", "warning",
        ]
          + ["--save", "", "--appendonly", "yes", "--appendfsync", "always"] + options, removesFolder: isTemporary)
      running.withLock { $0 = child }
    }

    func signal(_ number: Int32) { running.withLock { $0?.signal(number) } }

    func kill() { running.withLock { $0.take() }?.killNow() }

    /// Keeps a copy of what the server has on disk.
    func keep() throws { try copy("appendonlydir", to: "copy") }

    /// Replaces what is on disk by the copy, while the server isn't running.
    func putBack() throws { try copy("copy", to: "appendonlydir") }

    private func copy(_ source: String, to target: String) throws {
      try? FileManager.default.removeItem(atPath: "\(folder)/\(target)")
      try FileManager.default.copyItem(atPath: "\(folder)/\(source)", toPath: "\(folder)/\(target)")
    }

    /// Runs a command, and returns what the server replies; the empty string if it doesn't.
    @discardableResult
    func run(_ arguments: String...) throws -> String { try run(arguments) }

    @discardableResult
    func run(_ arguments: [String], input: String? = nil) throws -> String {
      if input == nil, arguments.first?.hasPrefix("-") == false {
        return Asking.reply(of: socket, to: arguments).trimmingCharacters(in: .whitespacesAndNewlines)
      }
      let (file, output) = (try input.map { try FileHandle(forReadingFrom: URL(filePath: $0)) }, Child.makePipe())
      let client = try Child.start(
        ["redis-cli", "-s", socket] + arguments, from: file, output: output.fileHandleForWriting)
      try output.fileHandleForWriting.close()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      client.waitUntilExit()
      return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }
#endif
