/// A weak reference in a final class: to copy one costs a retain, where a struct's would cost a weak copy.
final class WeakReference<Object: AnyObject & Sendable>: Sendable {
  weak let object: Object?

  init(_ object: Object) { self.object = object }
}
