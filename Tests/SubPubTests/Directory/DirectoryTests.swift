import Testing

@Suite("A directory of publishers", .timeLimit(.minutes(1)))
enum DirectoryTests {}
