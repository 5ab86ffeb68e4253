import SubPub

/// Writes down what it receives. Its callback is a scheduling point, and does what its inbox says.
final class StandInSubscriber: TypedSubscriber {
  private let simulation: Simulation
  private let number: Int

  init(_ simulation: Simulation, number: Int) {
    self.simulation = simulation
    self.number = number
  }

  deinit {
    let step = simulation.scheduler.note(.subscriberDies, number)
    simulation.inboxes[number].diedAt = step
    simulation.scheduler.point()
  }

  func receive(_ state: LoadState<Payload>) {}

  func receive(_ publication: Publication<Payload>) {
    let (scheduler, inbox) = (simulation.scheduler, simulation.inboxes[number])
    let content = Content(publication.state)
    let begin = scheduler.note(.begin, number, Int(publication.version))
    if !inbox.members.contains(where: { $0.context.isRunningHere }) {
      inbox.problems.append("2.03: delivered elsewhere, at \(begin)")
    }
    let index = inbox.deliveries.count
    inbox.deliveries.append(
      Inbox.Received(
        version: publication.version, content: content, strand: scheduler.running?.number ?? -1, begin: begin))
    scheduler.point()
    inbox.reaction?(simulation)
    scheduler.point()
    inbox.deliveries[index].end = scheduler.note(.end, number, content.code)
  }
}
