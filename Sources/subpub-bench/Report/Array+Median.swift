extension [Double] {
  /// Of at least one.
  var median: Double {
    let sorted = sorted()
    return (sorted[count / 2] + sorted[(count - 1) / 2]) / 2
  }
}
