import SubPub

extension LoadBench {
  /// Refreshes, answers the call of the loader that this makes, and runs what follows.
  @discardableResult func load(_ value: Int) -> Caller<LoadState<Int>> {
    let caller = refresh()
    answer(source.calls - 1, value)
    return caller
  }
}
