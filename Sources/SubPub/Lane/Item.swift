/// One state on its way: the box, and which one it is. The first state of a publisher, version 0, has ordinal 1.
package struct Item: Sendable {
  package let state: any Stamped
  package let ordinal: UInt64

  package init(state: any Stamped, ordinal: UInt64) {
    self.state = state
    self.ordinal = ordinal
  }
}
