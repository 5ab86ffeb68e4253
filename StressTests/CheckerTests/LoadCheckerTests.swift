import Testing

/// The checker of loads finds what is wrong, and nothing else.
@Suite("The checker of loads rejects every kind of bad history, and its good twin passes")
struct LoadCheckerTests {
  @Test("a good course") func good() {
    for mix: LoadMix in [[.refresh], [.refresh, .cancel], [.refresh, .force, .logout, .foreign, .copies]] {
      #expect(HandMadeLoads.rules(HandMadeLoads.course(mix)) == [])
    }
    #expect(HandMadeLoads.rules(HandMadeLoads.pages()) == [])
    #expect(HandMadeLoads.rules(HandMadeLoads.pages([.nextPage, .refresh, .force, .cancel])) == [])
  }

  @Test("one spoilt course, and its twin", arguments: BadLoads.late + BadLoads.shared)
  func course(bad: BadLoads) {
    #expect(HandMadeLoads.rules(bad.course(bad.spoil)).contains(bad.rule))
    #expect(HandMadeLoads.rules(bad.course(bad.twin)) == [])
  }
}
