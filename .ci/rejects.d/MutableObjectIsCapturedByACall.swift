// expect: capture of 'node' with non-Sendable type 'Node' in a '@Sendable' closure

import SubPub

protocol ChatDelegate: AnyObject, Sendable {}
final class Node { var count = 0 }
// instead: final class Node: Sendable { let count = 0 }

func tell(_ delegates: MulticastDelegate<any ChatDelegate>, of node: Node) {
  delegates.call { delegate in print(delegate, node.count) }
}
