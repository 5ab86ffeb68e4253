/// Has a form that the log can write.
protocol JSONConvertible {
  /// One JSON value, without line breaks.
  var json: String { get }
}
