// swift-tools-version: 6.3

// The random mutator: see `.ci/mutate`.

import PackageDescription

let package = Package(
  name: "mutator",
  targets: [
    .executableTarget(
      name: "mutator", swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)])
  ])
