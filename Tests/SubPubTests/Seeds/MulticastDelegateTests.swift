import Dispatch
import SubPub
import Testing

extension SeedTests {
  @Suite("MulticastDelegate: groups of delegates, add, remove, call, count")
  struct MulticastDelegateTests {
    protocol PlayerDelegate: Sendable {
      func playerDidStart()
      func playerDidSeek(to second: Int)
    }

    protocol DownloadDelegate: Sendable {
      func downloadDidEnd(_ file: String)
    }

    /// Groups are global, as in the document: a group is `Sendable`, so a `static let` will do.
    enum MyAppNotificationCenter {
      static let player = MulticastDelegate<any PlayerDelegate>(label: "player")
      static let downloads = MulticastDelegate<any DownloadDelegate>(label: "downloads")
    }

    /// Belongs to two groups.
    final class History: PlayerDelegate, DownloadDelegate {
      let journal: Journal<String>
      init(_ journal: Journal<String> = Journal()) { self.journal = journal }
      func playerDidStart() { journal.add("started") }
      func playerDidSeek(to second: Int) { journal.add("at \(second)") }
      func downloadDidEnd(_ file: String) { journal.add("has \(file)") }
    }

    /// Needs only one of the functions.
    final class Counter: PlayerDelegate {
      let journal = Journal<String>()
      func playerDidStart() { journal.add("one more") }
    }

    @Test("a call goes to every delegate of its group, and to no other group")
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

    @Test("who is removed hears no more; the others do")
    func remove() {
      let player = MulticastDelegate<any PlayerDelegate>()
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

    @Test("a group is a set: who is added twice is called once")
    func addTwice() {
      let player = MulticastDelegate<any PlayerDelegate>()
      let history = History()
      let standing = player.add(history, on: .immediate)
      #expect(player.add(history, on: .immediate) == standing)
      #expect(player.count == 1)
      player.call { $0.playerDidStart() }
      #expect(history.journal.entries == ["started"])
    }

    @Test("functions with an empty default needn't be implemented")
    func optionalFunctions() {
      let player = MulticastDelegate<any PlayerDelegate>()
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

    @Test("delegates aren't kept: one that dies is gone, and no longer counted")
    func death() {
      let player = MulticastDelegate<any PlayerDelegate>()
      let journal = Journal<String>()
      let other = History()
      player.add(other, on: .immediate)
      weak var probe: History?
      do {
        let history = History(journal)
        probe = history
        player.add(history, on: .immediate)
        #expect(player.count == 2)
        withExtendedLifetime(history) {}
      }
      #expect(probe == nil)
      #expect(player.count == 1)
      player.call { $0.playerDidStart() }
      #expect(journal.entries == [])
      #expect(other.journal.entries == ["started"])
    }

    @Test("nothing is replayed: a delegate hears of what happens after it was added")
    func noReplay() {
      let player = MulticastDelegate<any PlayerDelegate>()
      let history = History()
      player.call { $0.playerDidStart() }
      player.add(history, on: .immediate)
      #expect(history.journal.entries == [])
    }

    @Test("calling a group that nobody has joined does nothing")
    func empty() async {
      let player = MulticastDelegate<any PlayerDelegate>()
      player.call { _ in Issue.record("nobody is there") }
      await player.drain()
      #expect(player.count == 0)
    }
  }
}

extension SeedTests.MulticastDelegateTests.PlayerDelegate {
  func playerDidSeek(to second: Int) {}
}
