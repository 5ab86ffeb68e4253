import SubPub
import Testing

extension ClientTests {
  @Suite("Multicast protocol: a class with typed functions, whose notifiers can replace each other")
  struct MulticastProtocolTests {
    nonisolated struct ChatMessage: Sendable { let text: String }

    nonisolated protocol MessageDelegate: AnyObject, Sendable {
      func newMessageReceived(_ message: ChatMessage)
      /// Optional, as in the document.
      func newMessageDelivered(_ message: ChatMessage)
    }

    /// The document's wrapper: its callers use typed functions instead of closures.
    nonisolated final class MessageDelegateMulticast: Sendable {
      private let notifiers = MulticastDelegate<any MessageDelegate>(label: "messages")

      func newMessageReceived(_ message: ChatMessage) { notifiers.call { $0.newMessageReceived(message) } }
      func newMessageDelivered(_ message: ChatMessage) { notifiers.call { $0.newMessageDelivered(message) } }

      /// Adds a notifier, which replaces those of the same class.
      func addNotifier(_ notifier: any MessageDelegate) {
        notifiers.add(notifier, on: .immediate, ifDuplicate: .replaceSameType)
      }

      /// Adds a notifier, which replaces only itself.
      func addNotifierBesides(_ notifier: any MessageDelegate) {
        notifiers.add(notifier, on: .immediate, ifDuplicate: .replace)
      }

      func removeNotifier(_ notifier: any MessageDelegate) { notifiers.remove(notifier) }

      /// Removes the notifiers of that class, as the document's `removeNotifier` does.
      func removeNotifiers(like notifier: any MessageDelegate) {
        addNotifier(notifier)
        removeNotifier(notifier)
      }

      var count: Int { notifiers.count }
    }

    nonisolated final class ClientA: MessageDelegate {
      let name: String
      let journal: Journal<String>
      init(_ name: String, _ journal: Journal<String>) {
        self.name = name
        self.journal = journal
      }
      func newMessageReceived(_ message: ChatMessage) { journal.add("\(name) received \(message.text)") }
      func newMessageDelivered(_ message: ChatMessage) { journal.add("\(name) delivered \(message.text)") }
    }

    nonisolated final class ClientB: MessageDelegate {
      let journal: Journal<String>
      init(_ journal: Journal<String>) { self.journal = journal }
      func newMessageReceived(_ message: ChatMessage) { journal.add("b received \(message.text)") }
    }

    let center = MessageDelegateMulticast()
    let journal = Journal<String>()

    @Test("a typed function notifies everyone, in the order in which they were added")
    func typedFunctions() {
      let (a, b) = (ClientA("a", journal), ClientB(journal))
      center.addNotifier(a)
      center.addNotifier(b)
      center.newMessageReceived(ChatMessage(text: "hello"))
      withExtendedLifetime((a, b)) { center.newMessageDelivered(ChatMessage(text: "bye")) }
      #expect(journal.entries == ["a received hello", "b received hello", "a delivered bye"])
    }

    @Test("a notifier that is added again moves to the end")
    func replaceEqual() {
      let (first, second) = (ClientA("first", journal), ClientA("second", journal))
      center.addNotifierBesides(first)
      center.addNotifierBesides(second)
      center.addNotifierBesides(first)
      #expect(center.count == 2)
      withExtendedLifetime((first, second)) { center.newMessageReceived(ChatMessage(text: "hello")) }
      #expect(journal.entries == ["second received hello", "first received hello"])
    }

    @Test("a new notifier replaces one of the same class, and none of another class")
    func replaceSameClass() {
      let (old, other, new) = (ClientA("old", journal), ClientB(journal), ClientA("new", journal))
      center.addNotifier(old)
      center.addNotifier(other)
      center.addNotifier(new)
      #expect(center.count == 2)
      withExtendedLifetime((old, other, new)) { center.newMessageReceived(ChatMessage(text: "hello")) }
      #expect(journal.entries == ["b received hello", "new received hello"])
    }

    @Test("a removed notifier isn't notified again; the others are")
    func remove() {
      let (a, b) = (ClientA("a", journal), ClientB(journal))
      center.addNotifier(a)
      center.addNotifier(b)
      center.removeNotifier(a)
      withExtendedLifetime((a, b)) { center.newMessageReceived(ChatMessage(text: "hello")) }
      #expect(journal.entries == ["b received hello"])
    }

    @Test("a notifier can remove another of its class that it has no reference to")
    func removeSameClass() {
      let (a, b) = (ClientA("a", journal), ClientB(journal))
      center.addNotifier(a)
      center.addNotifier(b)
      center.removeNotifiers(like: ClientA("another", journal))
      #expect(center.count == 1)
      withExtendedLifetime((a, b)) { center.newMessageReceived(ChatMessage(text: "hello")) }
      #expect(journal.entries == ["b received hello"])
    }
  }
}

extension ClientTests.MulticastProtocolTests.MessageDelegate {
  nonisolated func newMessageDelivered(_ message: ClientTests.MulticastProtocolTests.ChatMessage) {}
}
