#if os(macOS) || os(Linux)
  import Foundation
  import SubPub
  import Support
  import Testing

  /// A run of the example program; killed when it is released, or when this process dies, however that happens.
  final class Demo: Sendable {
    private let process = Process()
    /// The standard input of a shell that kills the program unless it gets a line.
    private let guardian = Pipe()
    private let printed = Publisher<Printed>()

    /// No other child may inherit a pipe, which would keep it open.
    private static let starting = NSLock()

    /// Starts the program, by way of a command if one is given; its output goes to `output` if that is given.
    init(_ arguments: [String], by command: [String] = [], output: FileHandle? = nil) throws {
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = command + [Self.products.appending(path: "subpub-demo").path] + arguments
      process.standardInput = FileHandle.nullDevice
      process.terminationHandler = { [printed, guardian] process in
        try? guardian.fileHandleForWriting.write(contentsOf: [UInt8(ascii: "\n")])
        let signal: Int32 = process.terminationReason == .uncaughtSignal ? 128 : 0
        printed.change { $0.status = signal + process.terminationStatus }
      }
      try Self.starting.withLock {
        let pipes = [Pipe(), Pipe()]
        for end in (pipes + [guardian]).flatMap({ [$0.fileHandleForReading, $0.fileHandleForWriting] }) {
          _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        process.standardOutput = output ?? pipes[0]
        process.standardError = pipes[1]
        try process.run()
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", "read -r _ || kill -KILL \(process.processIdentifier)"]
        shell.standardInput = guardian
        try shell.run()
        for (stream, pipe) in pipes.enumerated() {
          try? pipe.fileHandleForWriting.close()
          Thread.detachNewThread { [printed] in
            while case let data = pipe.fileHandleForReading.availableData, !data.isEmpty {
              printed.change { $0.streams[stream] += data }
            }
            printed.change { $0.openPipes -= 1 }
          }
        }
      }
    }

    deinit { if process.isRunning { send(SIGKILL) } }

    /// The folder of the products, among which the program is.
    static var products: URL {
      #if os(macOS)
        Bundle(for: Demo.self).bundleURL.deletingLastPathComponent()
      #else
        Bundle.main.bundleURL
      #endif
    }

    var isRunning: Bool { process.isRunning }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Waits until what it has printed is so; what it prints until then isn't progress.
    @discardableResult
    func wait(at location: SourceLocation = #_sourceLocation, until isSo: (Printed) -> Bool) async -> Printed {
      TestLimit.noteProgress()
      defer { TestLimit.noteProgress() }
      var last = Printed()
      for await printed in printed.values(buffering: .latest) {
        last = printed
        if isSo(last) { return last }
        if last.hasEnded { break }
      }
      Issue.record("it prints only \(last.lines) and \(last.errors)", sourceLocation: location)
      return last
    }

    /// Waits for the end.
    func end() async -> Printed { await wait { $0.hasEnded } }

    /// Runs the program until it ends by itself.
    static func run(_ arguments: String...) async throws -> Printed { try await Demo(arguments).end() }

    /// Runs the program until what it has printed is so, and ends it with a signal.
    static func run(
      _ arguments: [String], endedBy signal: Int32 = SIGTERM, at location: SourceLocation = #_sourceLocation,
      until isSo: (Printed) -> Bool
    ) async throws -> Printed {
      let demo = try Demo(["--seconds", "3600", "--interval", "0.05"] + arguments)
      await demo.wait(at: location, until: isSo)
      demo.send(signal)
      return await demo.end()
    }
  }

  /// What a run has printed, and how it ended.
  struct Printed: Sendable {
    fileprivate var streams = [Data(), Data()]
    fileprivate var openPipes = 2
    /// The exit status, as in a shell: for a signal, 128 and its number.
    fileprivate(set) var status: Int32?

    var lines: [Substring] { Self.lines(of: streams[0]) }
    var errors: [Substring] { Self.lines(of: streams[1]) }
    var hasEnded: Bool { status != nil && openPipes == 0 }
    var hasEscapeCodes: Bool { streams[0].contains(0x1B) }

    private static func lines(of data: Data) -> [Substring] {
      String(decoding: data, as: UTF8.self).split(separator: "\n")
    }

    /// The lines of a publisher, without its name.
    func row(_ name: String) -> [Substring] {
      lines.filter { $0.hasPrefix("\(name) ") }.map { $0.dropFirst(name.count).drop { $0 == " " } }
    }

    func shows(_ name: String, _ text: Regex<Substring>, times: Int = 1) -> Bool {
      row(name).count { $0.prefixMatch(of: text) != nil } >= times
    }

    var hasLiveValues: Bool {
      shows("load", /loaded: \d+\.\d\d \d+\.\d\d \d+\.\d\d$/) && shows("memory", /loaded: .+ of .+ used, .+ available$/)
        && shows("path", /loaded: folder with \d+ entr.*, modified \d{4}-\d\d-\d\dT/)
    }

    /// Expects an end without a signal, so many lines on standard error and, if there is a log, its rows in the table.
    ///
    /// The output ends with the table, in which every subscription is at its publisher's latest version.
    func expectTable(hasLog: Bool = false, errors: Int = 0, at location: SourceLocation = #_sourceLocation) {
      let row = /(view|log|alarm|errors|summary) +(load|memory|path) +[^ ].* +\d+ +\d+ +yes \(\d+\)/
      let table = lines.suffix(hasLog ? 14 : 11)
      #expect(status == 0, sourceLocation: location)
      #expect(self.errors.count == errors, "\(self.errors)", sourceLocation: location)
      #expect(
        table.first?.prefixMatch(of: /subscriber +publisher +context +delivered +skipped +last/) != nil
          && table.dropFirst().allSatisfy { $0.wholeMatch(of: row) != nil }, "\(table)", sourceLocation: location)
    }

    /// Expects that nothing was started, and one line on standard error.
    func expectFailure(status: Int32, _ message: String = "") {
      #expect(self.status == status)
      #expect(errors.count == 1 && errors.allSatisfy { message.isEmpty || $0.contains(message) }, "\(errors)")
      #expect(lines.isEmpty)
    }
  }

  extension Publisher<Printed> {
    fileprivate func change(_ change: (inout Printed) -> Void) {
      update { state in
        var printed = state.value ?? Printed()
        change(&printed)
        return .loaded(printed)
      }
    }
  }

  /// A new folder, which is removed with its contents when it is released.
  final class Folder: Sendable {
    private let url: URL

    init(in parent: URL = FileManager.default.temporaryDirectory) throws {
      url = parent.appending(path: "DemoTests-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The path of something in it.
    subscript(name: String) -> String { url.appending(path: name).path }

    /// Writes a file, in a folder that is made if need be.
    func write(_ text: String, to name: String) throws {
      let file = url.appending(path: name)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }

    func read(_ name: String) throws -> String { try String(contentsOfFile: self[name], encoding: .utf8) }

    /// The names of the files in its folder `cache` that hold a value.
    var caches: [String] {
      get throws {
        try FileManager.default.contentsOfDirectory(atPath: self["cache"]).filter { $0.hasSuffix(".json") }
      }
    }
  }
#endif
