extension Model {
  /// Who does what, on which lanes.
  struct Setup {
    var plans: [Plan]
    var threads: [(name: String, actions: [Action])]
    /// How many visits a drain makes before it hands its context back.
    var budget = Int.max
    var fault: Fault?
  }
}
