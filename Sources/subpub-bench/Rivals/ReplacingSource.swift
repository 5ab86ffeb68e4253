import Dispatch

/// A Dispatch source whose data is replaced until its handler runs: the toolchain's way to conflate.
final class ReplacingSource {
  private let source: any DispatchSourceUserDataReplace

  init(to listeners: [SkippingListener], on queue: DispatchQueue) {
    let loop = LockedWeakLoop(to: listeners)
    let source = DispatchSource.makeUserDataReplaceSource(queue: queue)
    source.setEventHandler { loop.publish([Int(source.data)]) }
    source.activate()
    self.source = source
  }

  deinit { source.cancel() }

  func publish(_ counter: Int) { source.replace(data: UInt(counter)) }
}
