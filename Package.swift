// swift-tools-version: 6.3

import PackageDescription

// `.ci/run` sets the variable. Otherwise a newer compiler's warnings would break the build for whoever clones this.
let warnings: [SwiftSetting] =
  Context.environment["SUBPUB_WARNINGS_ARE_ERRORS"] == "1" ? [.treatAllWarnings(as: .error)] : []

let settings: [SwiftSetting] =
  warnings + [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ]

// The tests that see only public declarations also run with the main actor as default isolation, as new app projects
// have it.
let isolation: [SwiftSetting] =
  Context.environment["CLIENT_ISOLATION"] == "MainActor" ? [.defaultIsolation(MainActor.self)] : []

let package = Package(
  name: "SubPub",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "SubPub", targets: ["SubPub"]),
    .library(name: "SubPubFoundation", targets: ["SubPubFoundation"]),
    .library(name: "SubPubRedis", targets: ["SubPubRedis"]),
    .library(name: "SubPubTesting", targets: ["SubPubTesting"]),
  ],
  traits: [
    .trait(name: "Redis", description: "Builds SubPubRedis, which needs the system library hiredis."),
    .trait(
      name: "RedisTLS", description: "Adds encryption to SubPubRedis, which needs the system library OpenSSL.",
      enabledTraits: ["Redis"]),
    .default(enabledTraits: []),
  ],
  targets: [
    .target(name: "SubPub", swiftSettings: settings),
    .target(name: "SubPubFoundation", dependencies: ["SubPub"], swiftSettings: settings),
    .target(
      name: "SubPubRedis",
      dependencies: [
        "SubPub", .target(name: "CHiredis", condition: .when(traits: ["Redis"])),
        .target(name: "COpenSSL", condition: .when(traits: ["RedisTLS"])),
      ],
      swiftSettings: settings),
    .systemLibrary(
      name: "CHiredis", pkgConfig: "hiredis", providers: [.apt(["libhiredis-dev"]), .brew(["hiredis"])]),
    .systemLibrary(
      name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"]), .brew(["openssl"])]),
    .target(
      name: "SubPubTesting",
      dependencies: ["SubPub", .target(name: "SubPubRedis", condition: .when(traits: ["Redis"]))],
      swiftSettings: settings),
    .executableTarget(
      name: "subpub-demo",
      dependencies: ["SubPub", "SubPubFoundation", .target(name: "SubPubRedis", condition: .when(traits: ["Redis"]))],
      swiftSettings: settings),
    .executableTarget(name: "subpub-bench", dependencies: ["SubPub"], swiftSettings: settings),
    .target(
      name: "Support", dependencies: ["SubPub", "SubPubTesting"], path: "Tests/Support", swiftSettings: settings),
    .testTarget(
      name: "SubPubTests", dependencies: ["SubPub", "SubPubTesting", "Support"], swiftSettings: settings),
    .testTarget(
      name: "ClientTests", dependencies: ["SubPub", "SubPubTesting"], packageAccess: false,
      swiftSettings: settings + isolation),
    .testTarget(
      name: "SubPubFoundationTests", dependencies: ["SubPub", "SubPubFoundation", "SubPubTesting", "Support"],
      swiftSettings: settings),
    .testTarget(
      name: "SubPubRedisTests", dependencies: ["SubPub", "SubPubRedis", "SubPubTesting", "Support"],
      swiftSettings: settings),
    .testTarget(
      name: "DemoTests",
      dependencies: [
        "SubPub", "Support", .target(name: "subpub-demo", condition: .when(platforms: [.linux, .macOS])),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "StressTests", dependencies: ["SubPub", "SubPubTesting", "Support"], path: "StressTests",
      swiftSettings: settings),
  ]
)
