import Foundation

/// A cache owns the file that it was given and two more: the same name with each of these suffixes. No cache may have
/// such a name itself, so it can't be handed the file of another one.
extension CacheFile {
  static let temporarySuffix = ".subpub-new"
  static let lockSuffix = ".subpub-lock"

  /// The suffix of ours that the path ends with, or nil.
  ///
  /// Two names that differ may still be one file: there are file systems that ignore case, compare equivalent
  /// characters as equal, skip invisible ones, or drop periods and spaces at the end. This comparison ignores all of
  /// that at once, whatever the file system does: a name that is refused here without need is easily changed.
  static func reservedSuffix(of path: String) -> String? {
    let folded = path.decomposedStringWithCompatibilityMapping.lowercased().unicodeScalars
      .filter { !$0.properties.isDefaultIgnorableCodePoint }
    // Not `hasSuffix`, which compares characters: some scalars make one `Character` with the period behind them.
    let ending = folded.reversed().drop { $0 == "." || $0 == " " }
    return [temporarySuffix, lockSuffix].first { ending.starts(with: $0.unicodeScalars.reversed()) }
  }
}
