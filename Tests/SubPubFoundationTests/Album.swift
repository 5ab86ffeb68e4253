/// A value with something of each kind that JSON has.
struct Album: Codable, Equatable, Sendable {
  var title = "Blåbær \"/\\\u{0}\u{1F353}"
  var tracks = ["one", ""]
  var rating: Double? = 4.5
  var label: String?
  var sold = [Int.min, 0, Int.max]
  var isOut = true
}
