// swift-tools-version: 6.3

// What `.ci/instructions` counts: a program that depends on the package by path, as users build it.

import PackageDescription

let package = Package(
  name: "counted",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "SubPub", path: "../..")],
  targets: [
    .executableTarget(name: "counted", dependencies: [.product(name: "SubPub", package: "SubPub")])
  ]
)
