// expect: type 'any ChatDelegate' does not conform to the 'Sendable' protocol

import SubPub

protocol ChatDelegate: AnyObject {
  // instead: protocol ChatDelegate: AnyObject, Sendable {
  func received(_ message: String)
}

func makeChat() {
  _ = MulticastDelegate<any ChatDelegate>(label: "chat")
}
