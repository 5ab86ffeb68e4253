import SubPub
import SubPubTesting
import Testing

extension DirectoryTests {
  @Suite("A directory finds a publisher by the type of its values")
  struct FindingTests {
    let directory = PublisherDirectory()

    @Test("a created publisher lives as long as the directory, or as another reference to it")
    func required_3_06_made() async {
      var directory: PublisherDirectory? = PublisherDirectory()
      weak let released = directory?.publisher(of: Int.self)
      let kept = directory?.publisher(of: String.self)
      #expect(released != nil)
      let states = directory?.publisher(of: Int.self).states()
      directory = nil
      #expect(released == nil)
      var found: [LoadState<Int>] = []
      if let states { for await state in states { found.append(state) } }
      #expect(found == [.unknown], "the sequence ends with its publisher")
      kept?.updateData("a")
      #expect(kept?.state == .loaded("a"))
    }

    @Test("a registered publisher is found, and held weakly; after its release the type is free for another one")
    func required_2_05_free() {
      weak let released: Publisher<Int>?
      do {
        let first = Publisher<Int>(label: "first")
        released = first
        directory.register(first)
        #expect(directory.publisher(of: Int.self) === first)
        #expect("\(directory)" == "PublisherDirectory(publishers: 1, subscribers: 0)")
      }
      #expect(released == nil)
      #expect("\(directory)" == "PublisherDirectory(publishers: 0, subscribers: 0)")
      do {
        let second = Publisher<Int>(label: "second")
        directory.register(second)
        #expect(directory.publisher(of: Int.self) === second)
      }
      let third = directory.publisher(of: Int.self)
      #expect(third.label == "Int")
      #expect(directory.publisher(of: Int.self) === third)
    }

    @Test("registering the same publisher again changes nothing, even if the directory created it")
    func required_2_06_sameAgain() {
      let listener = Listener()
      directory.subscribeToAll(listener, on: .immediate)
      let mine = Publisher<String>(label: "mine")
      directory.register(mine)
      directory.register(mine)
      let made = directory.publisher(of: Int.self)
      directory.register(made)
      #expect(directory.publisher(of: String.self) === mine)
      #expect(listener.lines == ["mine 0", "Int 0"])
    }
  }
}
