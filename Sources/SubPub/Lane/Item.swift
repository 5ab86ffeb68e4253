/// One state on its way: the box, and which one it is. The first state of a publisher, version 0, has ordinal 1.
struct Item: Sendable {
  let state: any Stamped
  let ordinal: UInt64
}
