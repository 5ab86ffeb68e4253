// expect: errors: catch them in the handler

import SubPub

final class File: Sendable {
  func write(_ state: LoadState<Int>) throws {}
}

func attach(_ file: File, to publisher: Publisher<Int>) {
  publisher.subscribe(file, on: .background) { file, state in try file.write(state) }
  // instead: publisher.subscribe(file, on: .background) { file, state in try? file.write(state) }
}
