// swift-tools-version: 6.3

// The random mutator: see `.ci/mutate`.

import PackageDescription

let package = Package(
  name: "mutator",
  platforms: [.macOS(.v15)],
  targets: [
    .executableTarget(
      name: "mutator", swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)])
  ])
