// swift-tools-version: 6.3

// Programs for `.ci/redis`: a benchmark beside loops in C that use hiredis alone, and the processes of the chaos test.

import PackageDescription

let settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

let package = Package(
  name: "redis",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "SubPub", path: "../..", traits: ["Redis"])],
  targets: [
    .target(name: "Bare", linkerSettings: [.linkedLibrary("hiredis")]),
    .executableTarget(
      name: "redis-bench",
      dependencies: [
        "Bare", .product(name: "SubPub", package: "SubPub"), .product(name: "SubPubRedis", package: "SubPub"),
      ], swiftSettings: settings),
    .executableTarget(
      name: "redis-chaos",
      dependencies: [
        .product(name: "SubPub", package: "SubPub"), .product(name: "SubPubRedis", package: "SubPub"),
        .product(name: "SubPubTesting", package: "SubPub"),
      ], swiftSettings: settings),
  ])
