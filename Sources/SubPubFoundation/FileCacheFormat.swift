/// How a file of `FileCache` says what it is.
enum FileCacheFormat {
  static let name = "SubPub cache"
  static let version = 1
}
