import Dispatch
import SubPub

extension Delivery {
  /// Two contexts that are woken with a job. Nothing ever runs on these queues: the model makes the steps.
  static let model = Delivery.queue(DispatchQueue(label: "model"))
  static let otherModel = Delivery.queue(DispatchQueue(label: "other model"))
}
