import Dispatch
import SubPub

func queueExecutors() async {
  // As the executor of tasks.
  let marked = QueueExecutor(Here.makeQueue("tasks"))
  await Task(executorPreference: marked) { Here.expectQueue("tasks") }.value
  await withTaskExecutorPreference(marked) { await expectTasksQueue() }

  // As the executor of an actor.
  let housekeeper = Housekeeper()
  await housekeeper.add(.loaded(1))
  let inherited = await housekeeper.states
  expectEqual(inherited, [.loaded(1)], "an actor on a queue")

  // With a queue that it creates, which is serial.
  let own = QueueExecutor(label: "own")
  let journal = Journal<Int>()
  await withTaskGroup { group in
    for number in 1...100 {
      group.addTask(executorPreference: own) { journal.add(number) }
    }
  }
  expectEqual(journal.entries, Array(1...100), "an executor of its own runs in order")

  let clerk = Clerk(own)
  expectEqual(await clerk.count(), 1, "an actor on an executor that makes its queue")
  passed("QueueExecutor: tasks and actors")
}

private nonisolated func expectTasksQueue() async { Here.expectQueue("tasks") }

private actor Clerk {
  private nonisolated let executor: QueueExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private var counted = 0

  init(_ executor: QueueExecutor) { self.executor = executor }

  func count() -> Int {
    preconditionIsolated()
    counted += 1
    return counted
  }
}
