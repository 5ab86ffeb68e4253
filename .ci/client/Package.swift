// swift-tools-version: 6.3

// A package that depends on this one as a user's does: ClientTests, and the program that `.ci/instructions` counts.
// With CLIENT_ISOLATION=MainActor, the main actor is the default isolation of the tests.

import PackageDescription

var settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
if Context.environment["CLIENT_ISOLATION"] == "MainActor" { settings.append(.defaultIsolation(MainActor.self)) }

let library: Target.Dependency = .product(name: "SubPub", package: "SubPub")
let package = Package(
  name: "client",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  dependencies: [.package(name: "SubPub", path: "../..")],
  targets: [
    .executableTarget(name: "counted", dependencies: [library]),
    .testTarget(
      name: "ClientTests", dependencies: [library, .product(name: "SubPubTesting", package: "SubPub")],
      swiftSettings: settings),
  ]
)
