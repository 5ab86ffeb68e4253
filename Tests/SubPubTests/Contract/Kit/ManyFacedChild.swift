/// Another class.
final class ManyFacedChild: ManyFaced, @unchecked Sendable {}
