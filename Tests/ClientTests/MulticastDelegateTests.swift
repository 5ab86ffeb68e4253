import Dispatch
import SubPub
import Testing

extension ClientTests {
  @Suite("MulticastDelegate: groups of delegates with add, remove, call and count")
  struct MulticastDelegateTests {
    nonisolated protocol PlayerDelegate: Sendable {
      func playerDidStart()
      func playerDidSeek(to second: Int)
    }

    nonisolated protocol DownloadDelegate: Sendable {
      func downloadDidEnd(_ file: String)
    }

    /// The document's global groups, which are `Sendable`.
    nonisolated enum MyAppNotificationCenter {
      static let player = MulticastDelegate<any PlayerDelegate>(label: "player")
      static let downloads = MulticastDelegate<any DownloadDelegate>(label: "downloads")
    }

    /// A delegate in two groups.
    nonisolated final class History: PlayerDelegate, DownloadDelegate {
      let journal: Journal<String>
      init(_ journal: Journal<String> = Journal()) { self.journal = journal }
      func playerDidStart() { journal.add("started") }
      func playerDidSeek(to second: Int) { journal.add("at \(second)") }
      func downloadDidEnd(_ file: String) { journal.add("has \(file)") }
    }

    /// A delegate that implements only one of its functions.
    nonisolated final class Counter: PlayerDelegate {
      let journal = Journal<String>()
      func playerDidStart() { journal.add("one more") }
    }

    let player = MulticastDelegate<any PlayerDelegate>()

    @Test("a call goes to every delegate of its group and to no other group")
    func groups() async {
      let (history, counter) = (History(), Counter())
      MyAppNotificationCenter.player.add(history, on: .background)
      MyAppNotificationCenter.player.add(counter, on: .immediate)
      MyAppNotificationCenter.downloads.add(history, on: .immediate)
      #expect(MyAppNotificationCenter.player.count == 2)
      #expect(MyAppNotificationCenter.downloads.count == 1)

      MyAppNotificationCenter.player.call { $0.playerDidStart() }
      await MyAppNotificationCenter.player.drain()
      #expect(history.journal.entries == ["started"])
      #expect(counter.journal.entries == ["one more"])

      MyAppNotificationCenter.downloads.call { $0.downloadDidEnd("a") }
      #expect(history.journal.entries == ["started", "has a"])
      #expect(counter.journal.entries == ["one more"])
    }

    @Test("each delegate is called on the context that it was added with")
    func contexts() async {
      let (queue, thread) = (DispatchQueue(label: "history"), Here.thread)
      let (history, first, second) = (History(), Counter(), Counter())
      player.add(history, on: .queue(queue))
      player.add(first, on: .immediate)
      player.call { delegate in
        if delegate is History { Here.assertQueue(queue) } else { precondition(Here.thread == thread) }
        delegate.playerDidStart()
      }
      #expect(first.journal.entries == ["one more"])
      player.add(second, on: .background, ifDuplicate: .replaceSameType)
      player.call { delegate in
        if delegate is Counter { Here.assertBackground() }
        delegate.playerDidStart()
      }
      await player.drain()
      #expect(history.journal.entries == ["started", "started"])
      #expect((first.journal.entries.count, second.journal.entries.count, player.count) == (1, 1, 2))
    }

    @Test("a removed delegate isn't called again; the others are")
    func remove() {
      let (first, second) = (History(), History())
      player.add(first, on: .immediate)
      player.add(second, on: .immediate)
      player.call { $0.playerDidStart() }
      #expect(player.remove(first) == .quiescent)
      #expect(player.remove(first) == .alreadyCancelled)
      #expect(player.count == 1)
      player.call { $0.playerDidSeek(to: 7) }
      #expect(first.journal.entries == ["started"])
      #expect(second.journal.entries == ["started", "at 7"])
    }

    @Test("a group is a set: a delegate that is added twice is called once")
    func addTwice() {
      let history = History()
      let standing = player.add(history, on: .immediate)
      #expect(player.add(history, on: .immediate) == standing)
      #expect(player.count == 1)
      player.call { $0.playerDidStart() }
      #expect(history.journal.entries == ["started"])
    }

    @Test("a delegate needn't implement functions with an empty default")
    func optionalFunctions() {
      let (history, counter) = (History(), Counter())
      player.add(history, on: .immediate)
      player.add(counter, on: .immediate)
      player.call { delegate in
        delegate.playerDidStart()
        delegate.playerDidSeek(to: 7)
      }
      #expect(history.journal.entries == ["started", "at 7"])
      #expect(counter.journal.entries == ["one more"])
    }

    @Test("delegates are held weakly: a released one is neither called nor counted")
    func death() {
      let (other, journal) = (History(), Journal<String>())
      player.add(other, on: .immediate)
      expectReleased {
        let history = History(journal)
        player.add(history, on: .immediate)
        #expect(player.count == 2)
        return history
      }
      #expect(player.count == 1)
      player.call { $0.playerDidStart() }
      #expect(journal.entries == [])
      #expect(other.journal.entries == ["started"])
    }

    @Test("a delegate isn't called for what happened before it was added")
    func noReplay() {
      let history = History()
      player.call { $0.playerDidStart() }
      player.add(history, on: .immediate)
      #expect(history.journal.entries == [])
    }

    @Test("calling an empty group does nothing")
    func empty() async {
      player.call { _ in Issue.record("the group is empty") }
      await player.drain()
      #expect(player.count == 0)
    }
  }
}

extension ClientTests.MulticastDelegateTests.PlayerDelegate {
  nonisolated func playerDidSeek(to second: Int) {}
}
