// expect: ambiguous use of 'mutate'
// note: use an explicit argument label instead of a trailing closure to call 'mutate(showing:sendOnly:)'

import SubPub

func delete(_ index: Int) async throws {}

func clear(_ manager: LoadingManager<[Int]>, _ indices: [Int]) async throws {
  try await manager.mutate(showing: { _ in [] }) { for index in indices { try await delete(index) } }
  // instead: try await manager.mutate(showing: { _ in [] }, sendOnly: { for index in indices { try await delete(index) } })
}
