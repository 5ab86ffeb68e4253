// swift-tools-version: 6.3

// Programs for `.ci/redis`: a benchmark beside loops in C that use hiredis alone, the figures of many outlets and
// mirrors, a simulation of relays, and the processes of the chaos test.

import PackageDescription

let settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
let libraries: [Target.Dependency] = ["SubPub", "SubPubRedis", "SubPubTesting"].map {
  .product(name: $0, package: "SubPub")
}

let package = Package(
  name: "redis",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "SubPub", path: "../..", traits: ["RedisTLS"])],
  targets: [
    .target(name: "Bare", linkerSettings: [.linkedLibrary("hiredis")]),
    .executableTarget(name: "redis-bench", dependencies: ["Bare"] + libraries, swiftSettings: settings),
    .executableTarget(name: "redis-scale", dependencies: libraries, swiftSettings: settings),
    .executableTarget(name: "redis-sizing", swiftSettings: settings),
    // Its kit is that of the tests, which needs the trait.
    .executableTarget(name: "redis-chaos", dependencies: libraries, swiftSettings: settings + [.define("Redis")]),
  ])
