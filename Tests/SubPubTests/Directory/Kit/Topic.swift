import SubPub

/// One publisher of many types, for tests that need many: a type for each number from 0 to 11.
struct Topic: Sendable {
  let find: @Sendable (PublisherDirectory) -> AnyTopicPublisher
  let make: @Sendable (String) -> AnyTopicPublisher

  static let all: [Topic] = [
    Topic(Tag<Int>.self), Topic(Tag<String>.self), Topic(Tag<Bool>.self), Topic(Tag<Double>.self),
    Topic(Tag<Int8>.self), Topic(Tag<Int16>.self), Topic(Tag<Int32>.self), Topic(Tag<Int64>.self),
    Topic(Tag<UInt8>.self), Topic(Tag<UInt16>.self), Topic(Tag<UInt32>.self), Topic(Tag<UInt64>.self),
  ]

  private struct Tag<T>: Sendable {}

  private init<T>(_ type: Tag<T>.Type) {
    find = { AnyTopicPublisher($0.publisher(of: Tag<T>.self)) }
    make = { AnyTopicPublisher(Publisher<Tag<T>>(label: $0)) }
  }
}
