/// A payload with plain content: written by who publishes it, before, and read by who receives it.
final class Parcel: @unchecked Sendable {
  var content: Int

  init(_ content: Int) { self.content = content }
}
