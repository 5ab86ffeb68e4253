/// One figure of one contestant. Throws what was lost.
typealias Sample = @concurrent @Sendable () async throws -> Double
