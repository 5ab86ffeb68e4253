// expect: requires that 'Page' conform to 'Equatable'

import SubPub

struct Page: Sendable {}

func turn(_ publisher: Publisher<Page>) {
  publisher.updateData(ifChanged: Page())
}
