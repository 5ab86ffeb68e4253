extension StateAccess {
  /// Whether the current data is stale; see ``StatePublisher/isStale``.
  var isStale: Bool {
    guard let (box, validity) = registry.currentAndValidity else { return false }
    let current = Publication<Value>.from(box)
    guard current.state.value != nil else { return false }
    if let derivation, derivation.isData(current.provenance) { return derivation.sources.contains { $0.isStale } }
    return validity.isInvalidated || freshness?.isStale(since: validity.freshSince(current.provenance)) ?? false
  }

  /// Returns the age of a publication's data; see ``StatePublisher/age(of:)``.
  func age(of publication: Publication<Value>) -> Duration? {
    if let derivation, let source = derivation.ageSource, publication.origin != nil, registry.current === publication,
      derivation.isData(publication.provenance), let age = source.currentAge
    {
      return age
    }
    var validity = DataValidity()
    if let (current, known) = registry.currentAndValidity, current === publication { validity = known }
    return validity.freshSince(publication.provenance).flatMap { freshness?.age(since: $0) }
  }
}

extension StatePublisher {
  /// The age of the current data, or previous data; nil if there is none, or if it isn't measured.
  fileprivate var currentAge: Duration? { age(of: current) }
}
