// A command-line tool as users write it: prints a forecast, which it loads from a server or finds in a file.
//
//     forecast PORT FILE
import Foundation
import SubPub
import SubPubFoundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

guard CommandLine.arguments.count == 3,
  let server = URL(string: "http://127.0.0.1:\(CommandLine.arguments[1])/forecast")
else { fatalError("usage: forecast PORT FILE") }

let forecast = LoadingManager<String>(
  label: "forecast", staleAfter: .seconds(3600), timeout: .seconds(10),
  cache: FileCache(file: URL(filePath: CommandLine.arguments[2])),
  cacheFailed: { FileHandle.standardError.write(Data("\($0.operation) failed\n".utf8)) },
  load: {
    let (data, _) = try await URLSession.shared.data(from: server)
    return String(decoding: data, as: UTF8.self)
  })
let states = forecast.publisher.observe(on: .immediate) { if $0.phase == .error { print("\($0)") } }
let value = try await forecast.value()
print("\(forecast.publisher.current.origin.map { "\($0)" } ?? "no data"): \(value)")
await forecast.waitForCache()
withExtendedLifetime(states) {}
