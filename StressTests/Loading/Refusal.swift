/// What a loader throws: says which call of it that was.
struct Refusal: Error, Hashable { let number: Int }
