import SubPub

extension Model {
  /// Who does what, on which lanes.
  struct Setup {
    var plans: [Plan]
    var threads: [(name: String, actions: [Action])]
    /// How many visits a drain makes before it hands its context back.
    var budget = Int.max
    /// A context that never runs what it is woken for.
    var suspended: Delivery?
    var fault: Fault?
  }
}
