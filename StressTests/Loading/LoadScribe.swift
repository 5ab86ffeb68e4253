import SubPub

/// Writes down every state of a manager's publisher.
final class LoadScribe<Value: Sendable>: TypedSubscriber {
  private let tickets: @Sendable (Value) -> [Ticket]
  private let list = Guarded<[LoadPublication]>([])

  init(_ tickets: @escaping @Sendable (Value) -> [Ticket]) { self.tickets = tickets }

  var publications: [LoadPublication] { list.with { $0 } }

  func receive(_ state: LoadState<Value>) {}

  func receive(_ publication: Publication<Value>) {
    let note = LoadPublication(
      version: publication.version, phase: publication.phase, tickets: publication.state.value.map(tickets) ?? [],
      refusal: (publication.error as? Refusal)?.number)
    list.with { $0.append(note) }
  }
}
