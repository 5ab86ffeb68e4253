// expect: a transform that throws belongs in `mapState`, and none can await

import SubPub

func parse(_ text: String) throws -> Int { text.count }

func lengths(of publisher: Publisher<String>) {
  let lengths = publisher.map { try parse($0) }
  // instead: let lengths = publisher.mapState { try $0.map(parse) }
  print(lengths)
}
