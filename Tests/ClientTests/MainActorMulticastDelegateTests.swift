import SubPub
import Testing

extension ClientTests {
  @Suite("MulticastDelegate for screens: the delegate protocol belongs to the main actor")
  @MainActor struct MainActorMulticastDelegateTests {
    @MainActor protocol FirstViewControllerDelegate: AnyObject {
      func buttonDidTap()
      func doSomething(with text: String)
    }

    /// The document's groups, given to each screen instead of being global.
    nonisolated final class MyAppNotificationCenter: Sendable {
      let firstViewController = MainActorMulticastDelegate<any FirstViewControllerDelegate>(label: "first")
    }

    @MainActor final class FirstViewController {
      private let center: MyAppNotificationCenter
      init(_ center: MyAppNotificationCenter) { self.center = center }
      func buttonDidTap() { center.firstViewController.call { $0.buttonDidTap() } }
    }

    @MainActor final class SecondViewController: FirstViewControllerDelegate {
      private let center: MyAppNotificationCenter
      private(set) var taps = 0
      init(_ center: MyAppNotificationCenter) { self.center = center }
      func viewDidLoad() { center.firstViewController.add(self) }
      func viewDidDisappear() { center.firstViewController.remove(self) }
      func buttonDidTap() { taps += 1 }
    }

    @MainActor final class ThirdViewController: FirstViewControllerDelegate {
      private(set) var texts: [String] = []
      func doSomething(with text: String) { texts.append(text) }
    }

    let center = MyAppNotificationCenter()

    @Test("a tap on one screen reaches all others")
    func tap() async {
      let first = FirstViewController(center)
      let screens = (0..<3).map { _ in SecondViewController(center) }
      for screen in screens { screen.viewDidLoad() }
      #expect(center.firstViewController.count == 3)
      first.buttonDidTap()
      await center.firstViewController.drain()
      screens[1].viewDidDisappear()
      first.buttonDidTap()
      await center.firstViewController.drain()
      #expect(screens.map(\.taps) == [2, 1, 2])
      #expect(center.firstViewController.count == 2)
      withExtendedLifetime(screens) {}
    }

    @Test("any thread can call delegates, which run on the main actor in one order and needn't implement it all")
    func fromAnyThread() async {
      let (second, third) = (SecondViewController(center), ThirdViewController())
      second.viewDidLoad()
      center.firstViewController.add(third, ifDuplicate: .allow)
      center.firstViewController.call { $0.doSomething(with: "0") }
      #expect(third.texts == [], "never before the call returns")
      await Task.detached { [center] in
        for number in 1...3 {
          center.firstViewController.call { delegate in
            MainActor.preconditionIsolated()
            delegate.buttonDidTap()
            delegate.doSomething(with: "\(number)")
          }
        }
      }.value
      await center.firstViewController.drain()
      #expect(second.taps == 3)
      #expect(third.texts == ["0", "1", "2", "3"])
      #expect(center.firstViewController.remove(third) == .quiescent)
      #expect(center.firstViewController.remove(third) == .alreadyCancelled)
    }

    @Test("a screen that is dismissed without unsubscribing is released")
    func death() async {
      expectReleased {
        let second = SecondViewController(center)
        second.viewDidLoad()
        #expect(center.firstViewController.count == 1)
        return second
      }
      #expect(center.firstViewController.count == 0)
      center.firstViewController.call { _ in Issue.record("the group is empty") }
      await center.firstViewController.drain()
    }

    @Test("a screen can remove itself in its deinit")
    func leaveInDeinit() {
      final class LeavingViewController: FirstViewControllerDelegate {
        let center: MyAppNotificationCenter
        init(_ center: MyAppNotificationCenter) {
          self.center = center
          center.firstViewController.add(self)
        }
        deinit { MainActor.assumeIsolated { _ = center.firstViewController.remove(self) } }
      }
      expectReleased {
        let screen = LeavingViewController(center)
        #expect(center.firstViewController.count == 1)
        return screen
      }
      #expect(center.firstViewController.count == 0)
    }
  }
}

extension ClientTests.MainActorMulticastDelegateTests.FirstViewControllerDelegate {
  func buttonDidTap() {}
  func doSomething(with text: String) {}
}
