import Foundation
import SubPub
import SubPubFoundation
import Testing

@Suite("A file cache that fails says why and leaves the file alone", .hangLimit)
struct FileCacheFailureTests {
  private let folder = TemporaryFolder()

  /// Reads a file with that content, which must fail and leave the file alone, and returns the reason.
  @discardableResult
  private func refusal(of data: Data, sourceLocation: SourceLocation = #_sourceLocation) async throws
    -> FileCacheError.Reason?
  {
    try data.write(to: folder.file)
    let error = await failure(sourceLocation: sourceLocation) {
      try await FileCache<MixedValue>(file: folder.file).read()
    }
    #expect(error?.file == folder.file && error?.operation == .read, sourceLocation: sourceLocation)
    #expect(
      error.map { "\($0)".hasPrefix("cannot read the cache \(folder.file.path(percentEncoded: false)): ") } == true,
      sourceLocation: sourceLocation)
    // Not `Data(contentsOf:)`, which leaks the buffer of an empty file.
    let left = try FileHandle(forReadingFrom: folder.file).readToEnd() ?? Data()
    #expect(left == data, "the file is left alone", sourceLocation: sourceLocation)
    return error?.reason
  }

  @Test("a file that is cut at any length is reported as damaged")
  func truncated() async throws {
    try await FileCache<MixedValue>(file: folder.file).write(MixedValue())
    let whole = try Data(contentsOf: folder.file)
    #expect(whole.count > 100)
    for length in 0..<whole.count {
      let reason = try await refusal(of: whole.prefix(length))
      #expect(reason?.isDamaged == true, "cut to \(length) of \(whole.count) bytes")
    }
    try whole.write(to: folder.file)
    #expect(try await FileCache<MixedValue>(file: folder.file).read()?.value == MixedValue())
  }

  /// What a file may hold in place of a cached value, and whether the reason is the right one.
  static let contents: [(texts: [String], isExpected: @Sendable (FileCacheError.Reason) -> Bool)] = [
    (["hello", "\u{0}\u{0}\u{0}", "<html></html>", "{\"format\":}"], { $0.isDamaged }),
    (
      [
        "{}", "[]", "[1]", "3", "null", "\"text\"", #"{"value":1}"#, #"{"format":7,"version":1}"#,
        #"{"format":"other","version":1,"written":1,"value":1}"#, #"{"format":"SubPub cache"}"#,
        #"{"format":"SubPub cache","version":"1"}"#,
      ], { $0 == .foreign }
    ),
    (
      [#""written":1,"value":[1]"#, #""written":1"#, #""value":{}"#, #""written":"now","value":{}"#].map {
        #"{"format":"SubPub cache","version":1,\#($0)}"#
      }, { $0.isUndecodable }
    ),
  ]

  @Test("a file that holds something else is reported as what it is")
  func contents() async throws {
    for (texts, isExpected) in Self.contents {
      for text in texts {
        let reason = try #require(try await refusal(of: Data(text.utf8)))
        #expect(isExpected(reason), "\(text): \(reason)")
      }
    }
  }

  @Test("another version of the format is reported, whatever its fields mean", arguments: [0, 2, -1, 1_000])
  func version(number: Int) async throws {
    let text = #"{"format":"SubPub cache","version":\#(number),"written":"today"}"#
    let reason = try await refusal(of: Data(text.utf8))
    #expect(reason == .version(number))
    #expect(reason?.description == "it has format version \(number), but this library supports version 1")
  }

  @Test("a file that can't be read is replaced by the next write and removed by a clear", arguments: [true, false])
  func recovery(writing: Bool) async throws {
    try await refusal(of: Data("hello".utf8))
    let cache = FileCache<MixedValue>(file: folder.file)
    if writing { try await cache.write(MixedValue()) } else { try await cache.clear() }
    #expect(try await cache.read()?.value == (writing ? MixedValue() : nil))
  }

  @Test("a folder in place of the file is reported")
  func folderInPlace() async throws {
    try FileManager.default.createDirectory(at: folder.file, withIntermediateDirectories: false)
    let cache = FileCache<Int>(file: folder.file)
    #expect(await failure { try await cache.read() }?.reason == .notAFile)
    let writing = await failure { try await cache.write(1) }
    #expect(writing.map { "\($0)".hasPrefix("cannot write the cache ") && "\($0)".contains("(rename ") } == true)
    #expect(try folder.names == ["cache.json", "cache.json.subpub-lock"], "the temporary file is removed")
    let clearing = await failure { try await cache.clear() }
    #expect(clearing.map { "\($0)".hasPrefix("cannot clear the cache ") && "\($0)".contains("(remove ") } == true)
  }

  @Test("a pipe in place of the file is reported without waiting for a writer")
  func pipe() async throws {
    let error = try await folder.withPipe(at: folder.file) {
      await failure { try await FileCache<Int>(file: folder.file).read() }
    }
    #expect(error?.reason == .notAFile)
  }

  @Test("every operation reports a file in place of the folder", arguments: ["plain/a.json", "plain/a/b/a.json"])
  func fileInPlaceOfFolder(path: String) async throws {
    try Data().write(to: folder.url.appending(path: "plain"))
    let cache = FileCache<Int>(file: folder.url.appending(path: path))
    for operation: FileCacheError.Operation in [.read, .write, .clear] {
      let error = await failure {
        switch operation {
        case .read: _ = try await cache.read()
        case .write: try await cache.write(1)
        case .clear: try await cache.clear()
        }
      }
      #expect(error?.operation == operation)
      guard case .system(_, _, ENOTDIR)? = error?.reason else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(error.map { "\($0.localizedDescription)".lowercased().contains("not a directory (open ") } == true)
    }
    #expect(try folder.names == ["plain"])
  }

  @Test("a folder that can't be created is reported")
  func noFolder() async throws {
    let cache = FileCache<Int>(file: URL(filePath: "/proc/none/of/these/cache.json"))
    let error = await failure { try await cache.write(1) }
    #expect(error.map { "\($0)".contains("(create the folder /proc/none") } == true)
  }

  @Test("a value that can't be encoded leaves the previous value in place")
  func encodeFailure() async throws {
    let cache = FileCache<[Double]>(file: folder.file)
    // JSON can't represent the second number.
    #expect(await failure { try await cache.write([1, .nan]) }?.reason.isUnencodable == true)
    #expect(try folder.names == [])
    try await cache.write([1])
    await failure { try await cache.write([1, .nan]) }
    #expect(try await cache.read()?.value == [1])
  }

  @Test("if the disk is full, the previous value stays whole, and nothing else is left")
  func fullDisk() async throws {
    let (outside, path) = (FileCache<[Int]>(file: folder.file), folder.file.path(percentEncoded: false))
    try await outside.write(Array(0..<100))
    // Limits the size of files for the process: the system writes a part and refuses the rest, as on a full disk.
    await #expect(processExitsWith: .success) { [path = path as String] in
      signal(SIGXFSZ, SIG_IGN)
      var before = rlimit()
      try #require(unsafe getrlimit(fileSizeLimit, &before) == 0)
      var limit = rlimit(rlim_cur: 5_000, rlim_max: before.rlim_max)
      try #require(unsafe setrlimit(fileSizeLimit, &limit) == 0)
      // A process that measures coverage writes its results when it exits.
      defer { unsafe setrlimit(fileSizeLimit, &before) }
      let cache = FileCache<[Int]>(file: URL(filePath: path))
      let error = await failure { try await cache.write(Array(0..<100_000)) }
      #expect(error?.reason == .system(attempt: "write", path: path + ".subpub-new", code: EFBIG))
      #expect(unsafe access(path + ".subpub-new", F_OK) != 0, "the temporary file is removed")
      #expect(try await cache.read()?.value == Array(0..<100))
      try await cache.write([1])
      #expect(try await cache.read()?.value == [1])
      try await cache.write(Array(0..<100))
    }
    #expect(try await outside.read()?.value == Array(0..<100))
    #expect(try folder.names == ["cache.json", "cache.json.subpub-lock"])
  }

  @Test("a file above the limit is reported and left alone", arguments: [(256 << 20) + 1, 1 << 40])
  func sparse(size: Int) async throws {
    try Data().write(to: folder.file)
    let path = folder.file.path(percentEncoded: false)
    try #require(unsafe truncate(path, off_t(size)) == 0)
    // In a process of its own, which a failure could make run out of memory.
    await #expect(processExitsWith: .success) { [path = path as String] in
      let error = await failure { try await FileCache<Int>(file: URL(filePath: path)).read() }
      #expect(error?.reason == .tooLarge(limit: 256 << 20))
      #expect(error.map { "\($0)" } == "cannot read the cache \(path): it exceeds the limit of 268435456 bytes")
    }
    var status = stat()
    #expect(unsafe stat(path, &status) == 0 && Int(status.st_size) == size)
  }

  @Test("a file with as many bytes as the limit is written and read, and one with one byte more isn't")
  func boundary() async throws {
    func cache(_ limit: Int) -> FileCache<String> {
      FileCache(file: folder.file, sizeLimit: limit, now: { Date(timeIntervalSince1970: 1) })
    }
    let (text, free) = ("as large as may be", cache(1_000))
    try await free.write(text)
    let size = try Data(contentsOf: folder.file).count
    #expect(try await cache(size).read()?.value == text)
    try await cache(size).write(text)
    #expect(await failure { try await cache(size - 1).read() }?.reason == .tooLarge(limit: size - 1))
    #expect(await failure { try await cache(size).write(text + "!") }?.reason == .tooLarge(limit: size))
    #expect(try await free.read()?.value == text, "the previous value stays")
    #expect(try folder.names == ["cache.json", "cache.json.subpub-lock"])
  }
}

#if canImport(Glibc)
  private let fileSizeLimit = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
#else
  private let fileSizeLimit = RLIMIT_FSIZE
#endif
