/// A file of the kernel's doesn't read as it does everywhere else.
struct UnexpectedText: Error, Hashable, CustomStringConvertible {
  let source: String
  var description: String { "\(source) doesn't read as expected" }
}
