// What Swift's own module `Musl` adds to the headers, for macros and functions with a variable number of arguments.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
@_exported import SwiftMusl

public var errno: Int32 {
  get { __errno_location().pointee }
  set { __errno_location().pointee = newValue }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
public var S_IFMT: mode_t { 0o170000 }
// swift-format-ignore: AlwaysUseLowerCamelCase
public var S_IFREG: mode_t { 0o100000 }

public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { fatalError() }
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 { fatalError() }
