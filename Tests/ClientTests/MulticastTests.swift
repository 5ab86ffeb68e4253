import Dispatch
import SubPub
import Testing

extension ClientTests {
  @Suite("MulticastDelegate for screens: the delegate protocol belongs to the main actor")
  @MainActor struct MainActorMulticastDelegateTests {
    @MainActor protocol FirstViewControllerDelegate: AnyObject {
      func buttonDidTap()
      func doSomething(with text: String)
    }

    /// The document's groups, which are `Sendable`.
    nonisolated enum MyAppNotificationCenter {
      static let firstViewController = MainActorMulticastDelegate<any FirstViewControllerDelegate>(label: "first")
    }

    /// Removes itself when it is released, if not before.
    @MainActor final class SecondViewController: FirstViewControllerDelegate {
      private(set) var taps = 0
      deinit { MainActor.assumeIsolated { _ = MyAppNotificationCenter.firstViewController.remove(self) } }
      func viewDidLoad() { MyAppNotificationCenter.firstViewController.add(self) }
      func viewDidDisappear() { MyAppNotificationCenter.firstViewController.remove(self) }
      func buttonDidTap() {
        Here.assertMainActor()
        taps += 1
      }
    }

    @Test("a call from any thread reaches all screens that have neither left nor been dismissed, on the main actor")
    func calls() async {
      let group = MyAppNotificationCenter.firstViewController
      var screens = (0..<3).map { _ in SecondViewController() }
      for screen in screens { screen.viewDidLoad() }
      #expect(group.add(screens[0]) != group.add(screens[0], ifDuplicate: .replace))
      group.call { $0.buttonDidTap() }
      #expect(screens[0].taps == 0, "never before the call returns")
      await Task.detached { [group] in group.call { $0.doSomething(with: "unanswered") } }.value
      await group.drain()
      screens[1].viewDidDisappear()
      #expect(group.description == "MainActorMulticastDelegate<FirstViewControllerDelegate>(first, delegates: 2)")
      group.call { $0.buttonDidTap() }
      await group.drain()
      #expect(screens.map(\.taps) == [2, 1, 2])
      screens = []
      #expect(group.count == 0)
    }
  }

  @Suite("MulticastDelegate: groups of delegates, here in a class with typed functions instead of closures")
  struct MulticastProtocolTests {
    nonisolated struct ChatMessage: Sendable { let text: String }

    nonisolated protocol MessageDelegate: Sendable {
      func newMessageReceived(_ message: ChatMessage)
      /// Optional, as in the document.
      func newMessageDelivered(_ message: ChatMessage)
    }

    /// The document's wrapper, whose notifiers can replace each other.
    nonisolated final class MessageDelegateMulticast: Sendable {
      static let shared = MessageDelegateMulticast()
      let notifiers = MulticastDelegate<any MessageDelegate>(label: "messages")

      func newMessageReceived(_ message: ChatMessage) { notifiers.call { $0.newMessageReceived(message) } }
      func newMessageDelivered(_ message: ChatMessage) { notifiers.call { $0.newMessageDelivered(message) } }

      /// Adds a notifier, which replaces those of the same class.
      func addNotifier(_ notifier: any MessageDelegate) {
        notifiers.add(notifier, on: .immediate, ifDuplicate: .replaceSameType)
      }

      /// Removes the notifiers of that class, as the document's `removeNotifier` does.
      func removeNotifier(_ notifier: any MessageDelegate) {
        addNotifier(notifier)
        notifiers.remove(notifier)
      }
    }

    nonisolated final class ClientA: MessageDelegate {
      let name: String
      let journal: Journal<String>
      init(_ name: String, _ journal: Journal<String>) { (self.name, self.journal) = (name, journal) }
      func newMessageReceived(_ message: ChatMessage) { journal.add("\(name) received \(message.text)") }
      func newMessageDelivered(_ message: ChatMessage) { journal.add("\(name) delivered \(message.text)") }
    }

    nonisolated final class ClientB: MessageDelegate {
      let journal: Journal<String>
      init(_ journal: Journal<String>) { self.journal = journal }
      func newMessageReceived(_ message: ChatMessage) { journal.add("b received \(message.text)") }
    }

    let journal = Journal<String>()

    @Test("each delegate is called once, on the context that it was added with, until it is removed")
    func contexts() async {
      let (group, queue) = (MessageDelegateMulticast().notifiers, DispatchQueue(label: "delegates"))
      let (a, b) = (ClientA("a", journal), ClientB(journal))
      let standing = group.add(a, on: .queue(queue))
      #expect(group.add(a, on: .immediate) == standing, "a group is a set")
      group.add(b, on: .background)
      #expect(group.description == "MulticastDelegate<MessageDelegate>(messages, delegates: 2)")
      group.call { delegate in
        if delegate is ClientA { Here.assertQueue(queue) } else { Here.assertBackground() }
        delegate.newMessageReceived(ChatMessage(text: "hello"))
      }
      await group.drain()
      #expect(group.remove(a) == .quiescent)
      #expect(group.remove(a) == .alreadyCancelled)
      group.call { $0.newMessageReceived(ChatMessage(text: "bye")) }
      await group.drain()
      withExtendedLifetime(b) {}
      #expect(journal.entries.sorted() == ["a received hello", "b received bye", "b received hello"])
    }
  }
}

extension ClientTests.MainActorMulticastDelegateTests.FirstViewControllerDelegate {
  func buttonDidTap() {}
  func doSomething(with text: String) {}
}

extension ClientTests.MulticastProtocolTests.MessageDelegate {
  nonisolated func newMessageDelivered(_ message: ClientTests.MulticastProtocolTests.ChatMessage) {}
}
