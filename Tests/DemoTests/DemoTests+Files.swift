#if os(macOS) || os(Linux)
  import Foundation
  import Support
  import Testing

  /// The files that the program writes: a log, a record of its screen, caches.
  extension DemoTests {
    @Test("a log has every version of every publisher, one JSON object per line")
    func log() async throws {
      let log = folder["log"]
      func versions(of publisher: String) -> Int {
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").count { $0.contains(#""publisher":"\#(publisher)""#) }
      }
      // What it prints says that time has passed.
      let printed = try await Demo.run(["--watch", here, "--log", log]) { _ in
        ["load", "memory", "path"].allSatisfy { versions(of: $0) >= 5 }
      }
      printed.expectTable(hasLog: true)
      let line =
        #/
        \{"time":"\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z","publisher":"(load|memory|path)","version":(\d+),
        "phase":"(?:unknown|loading|loaded|error)","value":(?:null|\{.+\}),"error":(?:null|".*")\}
        /#
      var versions: [Substring: [Int]] = [:]
      for text in try folder.read("log").split(separator: "\n") {
        let (_, publisher, version) = try #require(text.wholeMatch(of: line), "\(text)").output
        versions[publisher, default: []].append(try #require(Int(version)))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let value = object["value"] as? [String: Any] ?? [:]
        #expect(value.values.allSatisfy { $0 is String || $0 is NSNumber })
      }
      #expect(versions.count == 3)
      for (publisher, versions) in versions {
        #expect(versions == Array(0..<versions.count) && versions.count >= 5, "\(publisher): \(versions)")
      }
    }

    #if os(Linux)
      @Test("a log on a full disk is reported once, and the rest goes on")
      func fullDisk() async throws {
        let printed = try await Demo.run(["--log", "/dev/full"]) { $0.hasLiveValues && !$0.errors.isEmpty }
        printed.expectTable(hasLog: true, errors: 1)
        #expect(printed.hasLiveValues && printed.errors.contains { $0.contains("no space left on device") })
      }
    #endif

    @Test("a log or a record that can't be opened ends it before anything starts")
    func cannotOpen() async throws {
      let missing = folder["no/such/folder/log"]
      try await Demo.run("--log", missing)
        .expectFailure(status: 1, "cannot open \(missing): no such file or directory")
      try await Demo.run("--record", here).expectFailure(status: 1, "cannot open \(here): ")
    }

    @Test("it records the screen as text, without a terminal, too")
    func record() async throws {
      let arguments = ["--watch", here, "--plain", "--record", folder["record"]]
      try await Demo.run(arguments) { $0.hasLiveValues }.expectTable()
      let lines = try folder.read("record").split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.count == 25 && lines.last == "", "24 lines, each with its end")
      let names = Set(lines.compactMap { $0.prefixMatch(of: /(load|memory|path) +. 0 s\s/)?.output.1 })
      #expect(names.count == 3)
    }

    @Test("a cache shows the last value of the run before, marked with its age, until there is a fresh one")
    func cache() async throws {
      let arguments = ["--watch", here, "--cache", folder["cache"]]
      let before = try await Demo.run(arguments) { $0.shows("path", /loaded: folder with 1 entry/) }
      before.expectTable()
      // On a busy machine, it may be marked as stale.
      let last = try #require(before.row("path").last?.firstMatch(of: /loaded: ([^()]*[^() ])/)?.output.1)
      // As long as the folder is away, so is a fresh value. Data is stale after two intervals.
      try FileManager.default.moveItem(atPath: here, toPath: folder["away"])
      let demo = try Demo(["--seconds", "3600", "--interval", "0.01"] + arguments)
      await demo.wait {
        $0.row("path").contains { $0.contains(" (was \(last)) (cached, stale, ") && $0.hasSuffix(" s old)") }
      }
      try folder.write("more\n", to: "away/more")
      try FileManager.default.moveItem(atPath: folder["away"], toPath: here)
      await demo.wait { $0.shows("path", /loaded: folder with 2 entries, 13 bytes in its files, modified [^ ]*$/) }
      demo.send(SIGTERM)
      await demo.end().expectTable(errors: 1)
      let other = try await Demo.run(["--watch", folder["."], "--cache", folder["cache"]]) {
        $0.shows("path", /loaded: folder/)
      }
      #expect(!other.row("path").contains { $0.contains("cached") }, "values of other paths are kept apart")
    }

    @Test("a damaged cache is reported once, shows no error, and is replaced")
    func damagedCache() async throws {
      let arguments = ["--watch", here, "--cache", folder["cache"]]
      try await Demo.run(arguments) { $0.shows("path", /loaded: folder with 1 entry/) }.expectTable()
      let file = try #require(try folder.caches.first { $0.hasPrefix("path") })
      try folder.write("{\"format\":", to: "cache/\(file)")
      let damaged = try await Demo.run(arguments) { $0.shows("path", /loaded: folder with 1 entry/) }
      damaged.expectTable(errors: 1)
      #expect(damaged.errors.contains { $0.contains(/path: the cache could not read: .*path[^ ]*\.json/) })
      #expect(!damaged.shows("path", /error/))
      try FileManager.default.removeItem(atPath: here)
      let replaced = try await Demo.run(arguments) {
        $0.shows("path", /error: .* \(was folder with 1 entry, .*\) \(cached,/)
      }
      replaced.expectTable(errors: 1)
    }

    /// A quarter of the kills, of which there are at least `DEMO_KILLS`, have to leave a temporary file behind.
    ///
    /// That proves that they fell between creating it and renaming it. On a busy machine, many come too late.
    @Test("a kill while it writes its caches damages none of them")
    func kills() async throws {
      let kills = ProcessInfo.processInfo.environment["DEMO_KILLS"].flatMap(Int.init) ?? 8
      // On the disk that builds use: writing a file in memory takes no time.
      let folder = try Folder(in: Demo.products)
      let arguments = ["--watch", here, "--cache", folder["cache"]]
      try await Demo.run(arguments) { $0.hasLiveValues }.expectTable()
      let temporary = try folder.caches.map { folder["cache/\($0).subpub-new"] }
      try #require(temporary.count == 3)
      @Sendable func isLeft() -> Bool { temporary.contains { unsafe access($0, F_OK) == 0 } }
      var (hits, kill) = (0, 0)
      while kill < kills || (4 * hits < kills && kill < 100 * kills) {
        kill += 1
        for file in temporary { unsafe unlink(file) }
        let demo = try Demo(["--seconds", "3600", "--interval", "0.0005"] + arguments, output: .nullDevice)
        await onOwnThread {
          let limit = TestLimit.Wait()
          while !isLeft(), limit.nanosecondsLeft > 0 {}
          demo.send(SIGKILL)
        }
        #expect(await demo.end().status == 128 + SIGKILL)
        hits += isLeft() ? 1 : 0
        #expect(try folder.caches.count == 3, "after kill \(kill)")
        // A damaged cache would be an error. Whether a cached value is shown depends on how fast the machine is.
        let printed = try await Demo.run(arguments) { $0.hasLiveValues }
        #expect(printed.status == 0 && printed.errors.isEmpty, "after kill \(kill): \(printed.errors)")
      }
      print("\(hits) of \(kill) kills fell between creating a temporary file and renaming it")
      #expect(4 * hits >= kills)
    }
  }
#endif
