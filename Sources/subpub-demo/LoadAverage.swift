/// How many processes were running or waiting to run, on average over 1, 5 and 15 minutes.
struct LoadAverage: Hashable, Sendable, Codable, CustomStringConvertible, JSONConvertible {
  let one: Double
  let five: Double
  let fifteen: Double

  /// As the kernel prints it: `0.07 0.02 0.00`.
  var description: String { "\(one.twoDecimals) \(five.twoDecimals) \(fifteen.twoDecimals)" }

  var json: String {
    #"{"one":\#(one.twoDecimals),"five":\#(five.twoDecimals),"fifteen":\#(fifteen.twoDecimals)}"#
  }
}
