// expect: requires that 'Page' conform to 'Equatable'

import SubPub

struct Page: Sendable {}
// instead: struct Page: Sendable, Equatable {}

func turn(_ publisher: Publisher<Page>) {
  publisher.updateData(ifChanged: Page())
}
