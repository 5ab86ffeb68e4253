// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "tool",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "SubPub", path: "../..")],
  targets: [
    .executableTarget(name: "counting-server"),
    .executableTarget(
      name: "forecast",
      dependencies: [
        .product(name: "SubPub", package: "SubPub"), .product(name: "SubPubFoundation", package: "SubPub"),
      ]),
  ])
