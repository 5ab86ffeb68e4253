// swift-tools-version: 6.3

// A client of SubPub, as a user writes one: it depends on the package by path, imports its two libraries, and runs.
// `.ci/client-check` builds it twice: plainly, and with ACCEPTANCE_ISOLATION=MainActor, which makes the main actor the
// default isolation, as new app projects have it.

import PackageDescription

var settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
if Context.environment["ACCEPTANCE_ISOLATION"] == "MainActor" {
  settings.append(.defaultIsolation(MainActor.self))
}

let package = Package(
  name: "acceptance",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  dependencies: [.package(name: "SubPub", path: "../..")],
  targets: [
    .executableTarget(
      name: "acceptance",
      dependencies: [
        .product(name: "SubPub", package: "SubPub"),
        .product(name: "SubPubTesting", package: "SubPub"),
      ],
      swiftSettings: settings)
  ]
)
