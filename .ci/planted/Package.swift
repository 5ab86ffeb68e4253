// swift-tools-version: 6.3

import PackageDescription

// Faults that a sanitizer must find: see .ci/race and .ci/memory.
let package = Package(
  name: "planted",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "SubPub", path: "../..")],
  targets: [
    .testTarget(
      name: "PlantedTests", dependencies: ["SubPub"],
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)])
  ]
)
