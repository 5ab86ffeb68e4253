import SubPub

private nonisolated protocol MessageDelegate: AnyObject, Sendable {
  func received(_ message: String)
  func delivered(_ message: String)
}

extension MessageDelegate {
  nonisolated func delivered(_ message: String) {}  // optional
}

private nonisolated final class ChatList: MessageDelegate {
  let journal = Journal<String>()
  func received(_ message: String) {
    Here.expectQueue("chats")
    journal.add("received \(message)")
  }
}

private nonisolated final class Chat: MessageDelegate {
  let journal = Journal<String>()
  func received(_ message: String) { journal.add("received \(message)") }
  func delivered(_ message: String) { journal.add("delivered \(message)") }
}

func multicastDelegates() async {
  let messages = MulticastDelegate<any MessageDelegate>(label: "messages")
  let queue = Here.makeQueue("chats")
  let list = ChatList()
  let chat = Chat()
  let thread = Here.thread
  let standing = messages.add(list, on: .queue(queue))
  messages.add(chat, on: .immediate)
  expectEqual(messages.add(list, on: .immediate, ifDuplicate: .ignore), standing, "the standing one")
  expectEqual(messages.count, 2, "two delegates")
  expectEqual(chat.journal.entries, [], "no replay")
  messages.call { delegate in
    if delegate is Chat { Here.expectThread(thread) }
    delegate.received("a")
    delegate.delivered("a")
  }
  expectEqual(chat.journal.entries, ["received a", "delivered a"], "immediate")
  await messages.drain()
  expectEqual(list.journal.entries, ["received a"], "on a queue")

  // A new one of the class takes the place of the old.
  let next = Chat()
  messages.add(next, on: .background, ifDuplicate: .replaceSameType)
  messages.call { delegate in
    if delegate === next { Here.expectBackground() }
    delegate.received("b")
  }
  await messages.drain()
  expectEqual(chat.journal.entries.count, 2, "the replaced one hears no more")
  expectEqual(next.journal.entries, ["received b"], "its successor does")
  expectEqual(messages.count, 2, "still two")
  expectEqual(messages.remove(next), .quiescent, "remove")
  expectEqual(messages.remove(next), .alreadyCancelled, "remove again")
  expectEqual(messages.count, 1, "one is left")
  withExtendedLifetime(list) {}
  passed("MulticastDelegate")
}

@MainActor private protocol ButtonDelegate: AnyObject {
  func buttonWasTapped(_ times: Int)
}

@MainActor private final class ViewController: ButtonDelegate {
  private(set) var taps: [Int] = []
  func buttonWasTapped(_ times: Int) {
    Here.expectMainActor()
    taps.append(times)
  }
}

@MainActor func mainActorMulticastDelegates() async {
  let buttons = MainActorMulticastDelegate<any ButtonDelegate>(label: "buttons")
  let first = ViewController()
  let second = ViewController()
  buttons.add(first)
  buttons.add(second, ifDuplicate: .allow)
  expectEqual(buttons.count, 2, "two delegates")
  buttons.call { $0.buttonWasTapped(1) }
  expectEqual(first.taps, [], "never before the call returns")
  await onAThread { buttons.call { $0.buttonWasTapped(2) } }  // from any thread
  await buttons.drain()
  expectEqual(first.taps, [1, 2], "the first")
  expectEqual(second.taps, [1, 2], "the second")
  expectEqual(buttons.remove(first), .quiescent, "remove")
  expectEqual(buttons.count, 1, "one is left")
  passed("MainActorMulticastDelegate")
}
