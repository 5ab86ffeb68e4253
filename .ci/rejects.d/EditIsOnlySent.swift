// expect: missing return in closure expected to return '[Int]'

import SubPub

func delete(_ number: Int) async throws {}

func remove(_ number: Int, from list: LoadingManager<[Int]>) async throws {
  try await list.mutate(
    showing: { $0.filter { $0 != number } },
    send: {
      // instead: sendOnly: {
      try await delete(number)
      print("deleted")
    })
}
