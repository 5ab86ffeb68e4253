// As much of Foundation as the checked files use. Like the real module, it exports the C library; the toolchain's would
// export glibc.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
@_exported import Musl

public typealias Data = [UInt8]

public struct URL: Hashable, Sendable {
  public var absoluteString: String { fatalError() }
  public var absoluteURL: URL { fatalError() }
  public var hasDirectoryPath: Bool { fatalError() }
  public var isFileURL: Bool { fatalError() }
  public func path(percentEncoded: Bool) -> String { fatalError() }
  public func withUnsafeFileSystemRepresentation<R>(_ body: (UnsafePointer<CChar>?) throws -> R) rethrows -> R {
    fatalError()
  }
}

public protocol LocalizedError: Error {
  var errorDescription: String? { get }
}

extension String {
  public var decomposedStringWithCompatibilityMapping: String { fatalError() }
}
