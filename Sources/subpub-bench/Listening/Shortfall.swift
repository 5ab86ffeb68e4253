/// Something was lost, came twice or came out of order. Figures of work that wasn't done are worth nothing.
struct Shortfall: Error, CustomStringConvertible {
  let published: Int
  var delivered: Int
  var outOfOrder = 0

  var description: String {
    "of \(published.grouped) published, a subscriber got \(delivered.grouped), \(outOfOrder.grouped) of them out of order"
  }
}
