#if os(macOS) || os(Linux)
  import Foundation
  import Support
  import Testing

  @Suite("The example program does what its documentation says", .hangLimit)
  struct DemoTests {
    let folder: Folder
    /// A folder in it with one file of eight bytes.
    let here: String

    init() throws {
      folder = try Folder()
      here = folder["here"]
      try folder.write("content\n", to: "here/file")
    }

    @Test("without a terminal, it shows live values as lines, and ends by itself with the table")
    func lines() async throws {
      let (loads, isOver) = (Guarded(Self.loads), Guarded(false))
      // On a thread of its own, which gets its turn however busy the pool is.
      Thread.detachNewThread {
        while !isOver.value {
          loads.with { $0.formUnion(Self.loads) }
          Thread.sleep(forTimeInterval: 0.1)
        }
      }
      let printed = try await Demo.run([]) { $0.hasLiveValues }
      isOver.with { $0 = true }
      printed.expectTable()
      #expect(printed.hasLiveValues && !printed.hasEscapeCodes)
      try await Demo(["--seconds", "0.3", "--interval", "0.1"]).end().expectTable()
      #if os(Linux)
        let shown = printed.row("load").compactMap { $0.prefixMatch(of: /loaded: (\S+ \S+ \S+)/)?.output.1 }
        #expect(!shown.isEmpty && loads.value.isSuperset(of: shown), "every load shown is a reading of that time")
      #endif
    }

    /// The system's load, which changes every five seconds.
    private static var loads: Set<Substring> {
      let text = try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)
      return Set((text ?? "").prefixMatch(of: /\S+ \S+ \S+/).map { [$0.output] } ?? [])
    }

    @Test("a folder that is moved away is an error with the previous data, until it is moved back")
    func movedFolder() async throws {
      let demo = try Demo(["--seconds", "3600", "--interval", "0.1", "--watch", here])
      await demo.wait { $0.shows("path", /loaded: folder with 1 entry, 8 bytes/) }
      try FileManager.default.moveItem(atPath: here, toPath: folder["there"])
      await demo.wait { $0.shows("path", /error: no such file or directory \(was folder with 1 entry, 8 bytes/) }
      try FileManager.default.moveItem(atPath: folder["there"], toPath: here)
      await demo.wait { $0.shows("path", /loaded: folder with 1 entry, 8 bytes/, times: 2) }
      demo.send(SIGINT)
      let printed = await demo.end()
      printed.expectTable(errors: 1)
    }

    @Test("a signal ends it with the table", arguments: [SIGINT, SIGTERM, SIGHUP])
    func signal(_ number: Int32) async throws {
      try await Demo.run([], endedBy: number) { $0.shows("load", /loaded/) }.expectTable()
    }

    @Test("under nohup it survives the end of its terminal")
    func nohup() async throws {
      let demo = try Demo(["--seconds", "3600", "--interval", "0.05", "--watch", here], by: ["nohup"])
      await demo.wait { $0.shows("load", /loaded/) }
      demo.send(SIGHUP)
      try folder.write("more\n", to: "here/more")
      let printed = await demo.wait { $0.shows("path", /loaded: folder with 2 entries/) }
      #expect(printed.lines.first?.prefixMatch(of: /watching .* for 3600\.0 seconds/) != nil)
      demo.send(SIGTERM)
      await demo.end().expectTable()
    }

    #if os(Linux)
      @Test("further signals end it at once, even if a log hangs")
      func hangingLog() async throws {
        // A full pipe that nobody reads.
        try #require(unsafe mkfifo(folder["pipe"], 0o600) == 0)
        let pipe = unsafe open(folder["pipe"], O_RDWR | O_NONBLOCK | O_CLOEXEC)
        defer { close(pipe) }
        try #require(unsafe write(pipe, [UInt8](repeating: 0, count: 65_536), 65_536) == 65_536)
        let demo = try Demo(["--seconds", "3600", "--log", folder["pipe"]])
        await demo.wait { $0.shows("load", /loaded/) }
        // It prints nothing more, and signals that come close together are one.
        while demo.isRunning {
          demo.send(SIGTERM)
          try await Task.sleep(for: .milliseconds(10))
        }
        let printed = await demo.end()
        #expect(printed.status == 128 + SIGTERM)
        #expect(!printed.hasEscapeCodes)
      }
    #endif

    @Test("it survives a reader of its output that goes away")
    func noReader() async throws {
      let pipe = Pipe()
      try pipe.fileHandleForReading.close()
      let printed = try await Demo(["--seconds", "0.5"], output: pipe.fileHandleForWriting).end()
      #expect(printed.status == 0 && printed.errors.isEmpty)
    }

    @Test("it watches several paths, each with a manager of its own")
    func severalPaths() async throws {
      let paths = ["--watch", here, "--watch", "/no/such/path", "--watch", here]
      let printed = try await Demo.run(paths + ["--cache", folder["cache"]]) {
        $0.shows("path \(here)", /loaded: folder with 1 entry/)
          && $0.shows("path /no/such/path", /error: no such file or directory$/)
      }
      #expect(printed.status == 0 && printed.errors.count == 1)
      #expect(printed.lines.count { $0.prefixMatch(of: /(view|errors|summary) +path \//) != nil } == 6)
    }

    @Test(
      "wrong arguments are one line on standard error",
      arguments: [
        ["--nonsense"], ["word"], ["two\nlines"], ["--seconds"], ["--seconds", "0"], ["--seconds", "-1"],
        ["--seconds", "soon"], ["--seconds", "inf"], ["--interval", "0"], ["--interval", "1e-19"],
        ["--alarm-load", "much"], ["--watch", ""], ["--log", "--seconds", "1"], ["--plain=yes"], ["--record"],
        ["--log", "file", "--record", "file"],
      ])
    func wrong(_ arguments: [String]) async throws { try await Demo(arguments).end().expectFailure(status: 2) }

    @Test("--help names every option")
    func help() async throws {
      let printed = try await Demo.run("--help")
      #expect(printed.status == 0 && printed.errors.isEmpty)
      let options = Set(printed.lines.compactMap { $0.prefixMatch(of: /\s+(--[a-z-]+)\s/)?.output.1 })
      #expect(
        options == [
          "--watch", "--interval", "--seconds", "--plain", "--record", "--log", "--cache", "--alarm-load",
          "--publish-to", "--mirror", "--serve", "--help",
        ])
    }

    @Test("--alarm-load gives the alarm")
    func alarm() async throws {
      try await Demo.run(["--alarm-load", "0"]) { $0.shows("alarm", /load \d+\.\d\d has reached 0\.00$/) }.expectTable()
    }
  }
#endif
