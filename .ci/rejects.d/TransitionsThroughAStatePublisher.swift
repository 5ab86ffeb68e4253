// expect: value of type 'some StatePublisher<Int>' has no member 'updateData'

import SubPub

func show(_ publisher: some StatePublisher<Int>) {
  publisher.updateData(1)
  // instead: publisher.subscribe(Log(), on: .background) { _, _ in }
}

final class Log: Sendable {}
