import SubPub
import Testing

extension SeedTests {
  @Suite("The multicast protocol: a class with typed functions, whose notifiers replace each other")
  struct MulticastProtocolTests {
    struct ChatMessage: Sendable { let text: String }

    protocol MessageDelegate: AnyObject, Sendable {
      /// Called when a new message has been received.
      func newMessageReceived(_ message: ChatMessage)
      /// Called when a new message has been delivered. Optional.
      func newMessageDelivered(_ message: ChatMessage)
    }

    /// The document's wrapper: senders see functions with types, and no closures.
    final class MessageDelegateMulticast: Sendable {
      private let notifiers = MulticastDelegate<any MessageDelegate>(label: "messages")

      func newMessageReceived(_ message: ChatMessage) { notifiers.call { $0.newMessageReceived(message) } }
      func newMessageDelivered(_ message: ChatMessage) { notifiers.call { $0.newMessageDelivered(message) } }

      /// A notifier of the same class gives way.
      func addNotifier(_ notifier: any MessageDelegate) {
        notifiers.add(notifier, on: .immediate, ifDuplicate: .replaceSameType)
      }

      /// Only the very same notifier gives way.
      func addNotifierBesides(_ notifier: any MessageDelegate) {
        notifiers.add(notifier, on: .immediate, ifDuplicate: .replace)
      }

      func removeNotifier(_ notifier: any MessageDelegate) { notifiers.remove(notifier) }

      /// Removes whoever is of that class, as the document's `removeNotifier` does: the notifier takes the other's
      /// place, and leaves.
      func removeNotifiers(like notifier: any MessageDelegate) {
        addNotifier(notifier)
        removeNotifier(notifier)
      }

      var count: Int { notifiers.count }
    }

    final class ClientA: MessageDelegate {
      let name: String
      let journal: Journal<String>
      init(_ name: String, _ journal: Journal<String>) {
        self.name = name
        self.journal = journal
      }
      func newMessageReceived(_ message: ChatMessage) { journal.add("\(name) received \(message.text)") }
      func newMessageDelivered(_ message: ChatMessage) { journal.add("\(name) delivered \(message.text)") }
    }

    final class ClientB: MessageDelegate {
      let name: String
      let journal: Journal<String>
      init(_ name: String, _ journal: Journal<String>) {
        self.name = name
        self.journal = journal
      }
      func newMessageReceived(_ message: ChatMessage) { journal.add("\(name) received \(message.text)") }
    }

    let center = MessageDelegateMulticast()
    let journal = Journal<String>()

    @Test("every notifier is told, through a function with a type")
    func typedFunctions() {
      let (a, b) = (ClientA("a", journal), ClientB("b", journal))
      center.addNotifier(a)
      center.addNotifier(b)
      center.newMessageReceived(ChatMessage(text: "hello"))
      withExtendedLifetime((a, b)) { center.newMessageDelivered(ChatMessage(text: "bye")) }
      #expect(journal.entries == ["a received hello", "b received hello", "a delivered bye"])
    }

    @Test("a notifier that is added again takes its place anew, at the end")
    func replaceEqual() {
      let (first, second) = (ClientA("first", journal), ClientA("second", journal))
      center.addNotifierBesides(first)
      center.addNotifierBesides(second)
      center.addNotifierBesides(first)
      #expect(center.count == 2)
      withExtendedLifetime((first, second)) { center.newMessageReceived(ChatMessage(text: "hello")) }
      #expect(journal.entries == ["second received hello", "first received hello"])
    }

    @Test("a notifier of the same class gives way to the new one, one of another class does not")
    func replaceSameClass() {
      let (old, other, new) = (ClientA("old", journal), ClientB("other", journal), ClientA("new", journal))
      center.addNotifier(old)
      center.addNotifier(other)
      center.addNotifier(new)
      #expect(center.count == 2)
      withExtendedLifetime((old, other, new)) { center.newMessageReceived(ChatMessage(text: "hello")) }
      #expect(journal.entries == ["other received hello", "new received hello"])
    }

    @Test("a subclass is another class")
    func subclass() {
      class Client: MessageDelegate, @unchecked Sendable {
        func newMessageReceived(_ message: ChatMessage) {}
      }
      final class SpecialClient: Client, @unchecked Sendable {}
      let (plain, special) = (Client(), SpecialClient())
      center.addNotifier(plain)
      center.addNotifier(special)
      #expect(center.count == 2)
      withExtendedLifetime((plain, special)) {}
    }

    @Test("a notifier leaves, and the others stay")
    func remove() {
      let (a, b) = (ClientA("a", journal), ClientB("b", journal))
      center.addNotifier(a)
      center.addNotifier(b)
      center.removeNotifier(a)
      withExtendedLifetime((a, b)) { center.newMessageReceived(ChatMessage(text: "hello")) }
      #expect(journal.entries == ["b received hello"])
    }

    @Test("a notifier can have one of its class removed that it doesn't know")
    func removeSameClass() {
      let (a, b) = (ClientA("a", journal), ClientB("b", journal))
      center.addNotifier(a)
      center.addNotifier(b)
      center.removeNotifiers(like: ClientA("another", journal))
      #expect(center.count == 1)
      withExtendedLifetime((a, b)) { center.newMessageReceived(ChatMessage(text: "hello")) }
      #expect(journal.entries == ["b received hello"])
    }
  }
}

extension SeedTests.MulticastProtocolTests.MessageDelegate {
  func newMessageDelivered(_ message: SeedTests.MulticastProtocolTests.ChatMessage) {}
}
