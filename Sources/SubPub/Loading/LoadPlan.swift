/// What a load is to do, given what there is.
struct LoadPlan<Value: Sendable>: Sendable {
  let kind: LoadUnderWay.Kind
  /// Called once for each attempt.
  let operation: @Sendable () async throws -> Value
}
