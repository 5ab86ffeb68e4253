import Dispatch
import SubPub
import Testing

extension SeedTests {
  @Suite("ExplicitPublisher: a protocol for each publisher, and no subclass")
  struct ExplicitPublisherTests {
    protocol SongNamesSubscriber: AnyObject, Sendable {
      func songNamesChanged(_ state: LoadState<[String]>)
    }

    protocol AlbumNamesSubscriber: AnyObject, Sendable {
      func albumNamesChanged(_ state: LoadState<[String]>)
    }

    /// The boilerplate of a publisher is one line.
    final class MusicManager: Sendable {
      let songNames = ExplicitPublisher<[String], any SongNamesSubscriber> { $0.songNamesChanged($1) }
      let albumNames = ExplicitPublisher<[String], any AlbumNamesSubscriber> { $0.albumNamesChanged($1) }
    }

    /// Both payloads are `[String]`, and the protocols keep them apart.
    final class Library: SongNamesSubscriber, AlbumNamesSubscriber {
      let journal: Journal<String>

      init(_ journal: Journal<String> = Journal()) { self.journal = journal }

      func songNamesChanged(_ state: LoadState<[String]>) { journal.add("songs \(state)") }
      func albumNamesChanged(_ state: LoadState<[String]>) { journal.add("albums \(state)") }
    }

    @Test("one object subscribes to many publishers, and each calls the function that is its own")
    func manyToMany() {
      let music = MusicManager()
      let library = Library()
      music.songNames.subscribe(library, on: .immediate)
      music.albumNames.subscribe(library, on: .immediate)
      music.songNames.publisher.updateData(["Help!"])
      music.albumNames.publisher.startLoading()
      #expect(
        library.journal.entries == [
          "songs unknown", "albums unknown", "songs loaded([\"Help!\"])", "albums loading",
        ])
    }

    @Test("a publisher calls many objects of any class that has the protocol, where each wants to be called")
    func contexts() async {
      final class Radio: SongNamesSubscriber {
        let queue = DispatchQueue(label: "radio")
        let journal = Journal<[String]>()
        func songNamesChanged(_ state: LoadState<[String]>) {
          dispatchPrecondition(condition: .onQueue(queue))
          journal.add(state.value ?? [])
        }
      }
      let music = MusicManager()
      let (library, radio) = (Library(), Radio())
      music.songNames.subscribe(library, on: .background)
      music.songNames.subscribe(radio, on: .queue(radio.queue), buffering: .latest)
      music.songNames.publisher.updateData(["Help!"])
      await music.songNames.publisher.drain()
      #expect(library.journal.entries.last == "songs loaded([\"Help!\"])")
      #expect(radio.journal.entries.last == ["Help!"])
    }

    @Test("leaving one publisher leaves the others as they are")
    func unsubscribe() {
      let music = MusicManager()
      let library = Library()
      music.songNames.subscribe(library, on: .immediate)
      let albums = music.albumNames.subscribe(library, on: .immediate)
      #expect(music.songNames.unsubscribe(library) == .quiescent)
      #expect(music.songNames.unsubscribe(library) == .alreadyCancelled)
      music.songNames.publisher.startLoading()
      music.albumNames.publisher.startLoading()
      #expect(albums.isActive)
      #expect(library.journal.entries == ["songs unknown", "albums unknown", "albums loading"])
    }

    @Test("two protocols may share one publisher: the same object is no duplicate of itself in the other")
    func sharedPublisher() {
      let names = Publisher<[String]>()
      let songs = ExplicitPublisher<[String], any SongNamesSubscriber>(names) { $0.songNamesChanged($1) }
      let albums = ExplicitPublisher<[String], any AlbumNamesSubscriber>(names) { $0.albumNamesChanged($1) }
      let library = Library()
      let standing = songs.subscribe(library, on: .immediate)
      #expect(albums.subscribe(library, on: .immediate) != standing)
      #expect(songs.subscribe(library, on: .immediate) == standing)
      #expect(names.subscriberCount == 2)
      names.startLoading()
      #expect(library.journal.entries == ["songs unknown", "albums unknown", "songs loading", "albums loading"])
      #expect(songs.unsubscribe(library) == .quiescent)
      #expect(names.subscriberCount == 1)
      withExtendedLifetime(library) {}
    }

    @Test("a subscriber is held weakly")
    func weak() {
      let music = MusicManager()
      let journal = Journal<String>()
      weak var probe: Library?
      do {
        let library = Library(journal)
        probe = library
        music.songNames.subscribe(library, on: .immediate)
        withExtendedLifetime(library) {}
      }
      #expect(probe == nil)
      #expect(music.songNames.publisher.subscriberCount == 0)
      music.songNames.publisher.startLoading()
      #expect(journal.entries == ["songs unknown"])
    }
  }
}
