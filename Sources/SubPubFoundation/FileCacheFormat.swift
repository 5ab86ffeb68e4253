/// How a file of `FileCache` says what it is.
enum FileCacheFormat {
  static let name = "SubPub cache"
  static let version = 1
  /// How many bytes a file may have: 256 MiB.
  static let sizeLimit = 256 << 20
}
