import SubPub
import Testing

extension SeedTests {
  @Suite("MulticastDelegate for screens: delegate protocols of the main actor")
  @MainActor struct MainActorMulticastDelegateTests {
    @MainActor protocol FirstViewControllerDelegate: AnyObject {
      func buttonDidTap()
      func doSomething(with text: String)
    }

    /// Groups are handed to screens; they could as well be global.
    final class MyAppNotificationCenter: Sendable {
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

    @Test("a tap on one screen reaches all others")
    func tap() async {
      let center = MyAppNotificationCenter()
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

    @Test("functions with an empty default needn't be implemented")
    func optionalFunctions() async {
      let center = MyAppNotificationCenter()
      let (second, third) = (SecondViewController(center), ThirdViewController())
      second.viewDidLoad()
      center.firstViewController.add(third)
      center.firstViewController.call { delegate in
        delegate.buttonDidTap()
        delegate.doSomething(with: "text")
      }
      await center.firstViewController.drain()
      #expect(second.taps == 1)
      #expect(third.texts == ["text"])
    }

    @Test("any thread may call; the delegates are called on the main actor, in one order")
    func fromAnyThread() async {
      let center = MyAppNotificationCenter()
      let third = ThirdViewController()
      center.firstViewController.add(third)
      await Task.detached {
        for number in 1...3 {
          center.firstViewController.call { delegate in
            MainActor.preconditionIsolated()
            delegate.doSomething(with: "\(number)")
          }
        }
      }.value
      await center.firstViewController.drain()
      #expect(third.texts == ["1", "2", "3"])
    }

    @Test("a screen that is dismissed without leaving is gone")
    func death() async {
      let center = MyAppNotificationCenter()
      weak var probe: SecondViewController?
      do {
        let second = SecondViewController(center)
        probe = second
        second.viewDidLoad()
        #expect(center.firstViewController.count == 1)
        withExtendedLifetime(second) {}
      }
      #expect(probe == nil)
      #expect(center.firstViewController.count == 0)
      center.firstViewController.call { _ in Issue.record("nobody is there") }
      await center.firstViewController.drain()
    }

    @Test("a screen may leave in its deinit")
    func leaveInDeinit() {
      final class LeavingViewController: FirstViewControllerDelegate {
        let center: MyAppNotificationCenter
        init(_ center: MyAppNotificationCenter) {
          self.center = center
          center.firstViewController.add(self)
        }
        deinit { MainActor.assumeIsolated { _ = center.firstViewController.remove(self) } }
      }
      let center = MyAppNotificationCenter()
      do {
        let screen = LeavingViewController(center)
        #expect(center.firstViewController.count == 1)
        withExtendedLifetime(screen) {}
      }
      #expect(center.firstViewController.count == 0)
    }
  }
}

extension SeedTests.MainActorMulticastDelegateTests.FirstViewControllerDelegate {
  func buttonDidTap() {}
  func doSomething(with text: String) {}
}
