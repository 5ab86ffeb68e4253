// expect: cannot pass function of type '(LoadState<Int>) async -> LoadState<Int>' to parameter expecting synchronous function type

import SubPub

func loadNext() async -> Int { 1 }

func advance(_ publisher: Publisher<Int>) async {
  let next = await loadNext()
  publisher.update { _ in .loaded(await loadNext()) }
  // instead: publisher.update { _ in .loaded(next) }
  _ = next
}
