import SubPub

/// A step of a client, or of a callback; subscriptions that it needs again have names.
struct Step {
  let run: (Simulation) -> Void

  init(_ run: @escaping (Simulation) -> Void) { self.run = run }

  static func publish(_ count: Int = 1) -> Step { Step { $0.publish(count) } }
  static func update(_ count: Int = 1) -> Step { Step { $0.updateData(count) } }
  static var read: Step { Step { $0.read() } }
  static var count: Step { Step { $0.count() } }
  static var drain: Step { Step { $0.drain() } }
  static func change(_ count: Int = 1) -> Step { Step { $0.change(count) } }
  static var finish: Step { Step { $0.finish() } }
  static var releasePublisher: Step { Step { $0.releasePublisher() } }

  static func subscribe(
    _ name: String = "", on context: @autoclosure @escaping () -> Context, bounded: Bool = false,
    replacing old: String? = nil, reaction: Step? = nil
  ) -> Step {
    Step {
      $0.subscribe(
        name, on: context(), bounded ? $0.bounded() : .unbounded, replacing: old, reaction: reaction)
    }
  }

  static var follow: Step { Step { $0.follow() } }
  static func cancel(_ name: String) -> Step { Step { $0.cancel($0.named[name]) } }
  static func cancelAndWait(_ name: String) -> Step { Step { $0.cancelAndWait($0.named[name]) } }
  static func release(_ name: String) -> Step { Step { $0.release($0.named[name]) } }
  static func release(_ actor: Context) -> Step { Step { $0.release(actor) } }

  static func iterate(_ name: String = "", bounded: Bool = false) -> Step {
    Step { $0.iterate(name, bounded ? $0.bounded() : .unbounded) }
  }

  static func endIterating(_ name: String) -> Step { Step { $0.endIterating($0.named[name]) } }

  /// Submits steps to a queue, as programs do on the main queue.
  static func submit(_ steps: Step..., to queue: StandInQueue) -> Step {
    Step { simulation in queue.schedule { for step in steps { step.run(simulation) } } }
  }

  /// Takes the step with a chance of one in `count`.
  static func maybe(oneIn count: Int = 2, _ step: Step) -> Step { Step { if $0.draw(count) == 0 { step.run($0) } } }

  static func either(_ first: Step, _ second: Step) -> Step { Step { ($0.draw(2) == 0 ? first : second).run($0) } }

  /// Takes the step once, in the delivery with that number, counted from 1.
  static func once(inDelivery number: Int, _ step: Step) -> Step {
    var count = 0
    return Step {
      count += 1
      if count == number { step.run($0) }
    }
  }
}
