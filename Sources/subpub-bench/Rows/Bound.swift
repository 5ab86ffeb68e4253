/// What a row has to keep.
enum Bound {
  /// Of our figure to the rival's.
  case ratio(Double)
  /// Of our figure alone.
  case figure(Double)
}
