import Foundation
import SubPub
import SubPubFoundation
import Testing

@Suite("A file cache that can't says why, and leaves what is there", .timeLimit(.minutes(2)))
struct FileCacheFailureTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Reads a file with that content, which has to be an error, and has to stay.
  @discardableResult
  private func refusal(of data: Data, sourceLocation: SourceLocation = #_sourceLocation) async throws
    -> FileCacheError.Reason?
  {
    try data.write(to: folder.file)
    let error = await #expect(throws: FileCacheError.self, sourceLocation: sourceLocation) {
      try await FileCache<Album>(file: folder.file).read()
    }
    #expect(error?.file == folder.file && error?.operation == .read, sourceLocation: sourceLocation)
    #expect(
      error.map { "\($0)".hasPrefix("cannot read the cache \(folder.file.path(percentEncoded: false)): ") } == true,
      sourceLocation: sourceLocation)
    // Not `Data(contentsOf:)`, which leaks the buffer of an empty file.
    let left = try FileHandle(forReadingFrom: folder.file).readToEnd() ?? Data()
    #expect(left == data, "the file stays", sourceLocation: sourceLocation)
    return error?.reason
  }

  @Test("a file cut at any length is reported, and stays")
  func truncated() async throws {
    try await FileCache<Album>(file: folder.file).write(Album())
    let whole = try Data(contentsOf: folder.file)
    #expect(whole.count > 100)
    for length in 0..<whole.count {
      let reason = try await refusal(of: whole.prefix(length))
      guard case .damaged? = reason else {
        Issue.record("cut to \(length) of \(whole.count) bytes: \(String(describing: reason))")
        continue
      }
    }
    try whole.write(to: folder.file)
    #expect(try await FileCache<Album>(file: folder.file).read()?.value == Album())
  }

  @Test("what isn't JSON", arguments: ["hello", "\u{0}\u{0}\u{0}", "<html></html>", "{\"format\":}"])
  func notJSON(text: String) async throws {
    guard case .damaged? = try await refusal(of: Data(text.utf8)) else {
      Issue.record("it is not reported as damaged")
      return
    }
  }

  @Test(
    "JSON of others",
    arguments: [
      "{}", "[]", "[1]", "3", "null", "\"text\"", #"{"value":1}"#,
      #"{"format":"other","version":1,"written":1,"value":1}"#,
      #"{"format":7,"version":1}"#, #"{"format":"SubPub cache"}"#, #"{"format":"SubPub cache","version":"1"}"#,
    ])
  func foreign(text: String) async throws {
    #expect(try await refusal(of: Data(text.utf8)) == .foreign)
  }

  @Test("another version of the format, whatever it means by its fields", arguments: [0, 2, -1, 1_000])
  func version(number: Int) async throws {
    let text = #"{"format":"SubPub cache","version":\#(number),"written":"today"}"#
    let reason = try await refusal(of: Data(text.utf8))
    #expect(reason == .version(number))
    #expect(reason?.description == "it has version \(number) of the format, and this library knows version 1")
  }

  @Test(
    "a value of another type, and none",
    arguments: [#""written":1,"value":[1]"#, #""written":1"#, #""value":{}"#, #""written":"now","value":{}"#])
  func otherType(rest: String) async throws {
    guard case .undecodable? = try await refusal(of: Data(#"{"format":"SubPub cache","version":1,\#(rest)}"#.utf8))
    else {
      Issue.record("it is not reported as undecodable")
      return
    }
  }

  @Test("what couldn't be read is replaced by the next write, or removed by a clear", arguments: [true, false])
  func recovery(writing: Bool) async throws {
    try await refusal(of: Data("hello".utf8))
    let cache = FileCache<Album>(file: folder.file)
    if writing { try await cache.write(Album()) } else { try await cache.clear() }
    #expect(try await cache.read()?.value == (writing ? Album() : nil))
  }

  @Test("a folder in the file's place")
  func folderInPlace() async throws {
    try FileManager.default.createDirectory(at: folder.file, withIntermediateDirectories: false)
    let cache = FileCache<Int>(file: folder.file)
    let reading = await #expect(throws: FileCacheError.self) { try await cache.read() }
    #expect(reading?.reason == .notAFile)
    let writing = await #expect(throws: FileCacheError.self) { try await cache.write(1) }
    #expect(writing.map { "\($0)".hasPrefix("cannot write the cache ") && "\($0)".contains("(rename ") } == true)
    #expect(try folder.names == ["cache.json", "cache.json.subpub-lock"], "the temporary file is gone")
    let clearing = await #expect(throws: FileCacheError.self) { try await cache.clear() }
    #expect(clearing.map { "\($0)".hasPrefix("cannot clear the cache ") && "\($0)".contains("(remove ") } == true)
  }

  @Test("a pipe in the file's place is no reason to wait")
  func pipe() async throws {
    let path = folder.file.path(percentEncoded: false)
    try #require(unsafe mkfifo(path, 0o600) == 0)
    let end = OtherEnd(of: path)
    let error = await #expect(throws: FileCacheError.self) { try await FileCache<Int>(file: folder.file).read() }
    #expect(!end.end(), "the read waited for a writer")
    #expect(error?.reason == .notAFile)
  }

  @Test("a file in the folder's place", arguments: ["plain/cache.json", "plain/a/b/cache.json"])
  func fileInPlaceOfFolder(path: String) async throws {
    try Data().write(to: folder.url.appending(path: "plain"))
    let cache = FileCache<Int>(file: folder.url.appending(path: path))
    for operation: FileCacheError.Operation in [.read, .write, .clear] {
      let error = await #expect(throws: FileCacheError.self) {
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

  @Test("a folder that can't be made")
  func noFolder() async throws {
    let cache = FileCache<Int>(file: URL(filePath: "/proc/none/of/these/cache.json"))
    let error = await #expect(throws: FileCacheError.self) { try await cache.write(1) }
    #expect(error.map { "\($0)".contains("(make the folder /proc/none") } == true)
  }

  /// One number of which JSON knows nothing.
  private static let unencodable = [1.0, .nan]

  @Test("a value that can't be encoded leaves the one before, and touches no file")
  func encodeFailure() async throws {
    let cache = FileCache<[Double]>(file: folder.file)
    let first = await #expect(throws: FileCacheError.self) { try await cache.write(Self.unencodable) }
    #expect(try folder.names == [])
    guard case .unencodable? = first?.reason else {
      Issue.record("\(String(describing: first))")
      return
    }
    try await cache.write([1])
    await #expect(throws: FileCacheError.self) { try await cache.write(Self.unencodable) }
    #expect(try await cache.read()?.value == [1])
  }

  @Test("when the disk is full, the value before stays, whole, and nothing else is left")
  func fullDisk() async throws {
    let (file, old) = (folder.file, Array(0..<100))
    try await FileCache<[Int]>(file: file).write(old)
    let path = file.path(percentEncoded: false)
    // A limit to the size of files is for the process; the system then writes a part, and refuses the rest.
    await #expect(processExitsWith: .success) { [path = path as String] in
      signal(SIGXFSZ, SIG_IGN)
      var before = rlimit()
      try #require(unsafe getrlimit(fileSizeLimit, &before) == 0)
      var limit = rlimit(rlim_cur: 5_000, rlim_max: before.rlim_max)
      try #require(unsafe setrlimit(fileSizeLimit, &limit) == 0)
      // What a process that is measured writes at its end, is written whole.
      defer { unsafe setrlimit(fileSizeLimit, &before) }
      let cache = FileCache<[Int]>(file: URL(filePath: path))
      let error = await #expect(throws: FileCacheError.self) { try await cache.write(Array(0..<100_000)) }
      #expect(error?.reason == .system(attempt: "write", path: path + ".subpub-new", code: EFBIG))
      #expect(unsafe access(path + ".subpub-new", F_OK) != 0, "the temporary file is gone")
      #expect(try await cache.read()?.value == Array(0..<100))
      try await cache.write([1])
      #expect(try await cache.read()?.value == [1])
      try await cache.write(Array(0..<100))
    }
    #expect(try await FileCache<[Int]>(file: file).read()?.value == old)
    #expect(try folder.names == ["cache.json", "cache.json.subpub-lock"])
  }
}

#if canImport(Glibc)
  private let fileSizeLimit = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
#else
  private let fileSizeLimit = RLIMIT_FSIZE
#endif
