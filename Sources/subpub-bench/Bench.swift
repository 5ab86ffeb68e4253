// Measures this library from a module of its own, as users build it, against what the toolchain offers instead:
//
//     swift run -c release subpub-bench [--filter TEXT]
//
// Ours and the rival run in turn, in one process; a row shows the medians and the median of the ratios of the pairs.
// Every run checks that everything was delivered.
import Dispatch

@main
struct Bench {
  static func main() async {
    guard let filter = filter(CommandLine.arguments.dropFirst()) else {
      print("usage: subpub-bench [--filter TEXT]")
      return
    }
    // In a process with one thread, glibc elides locks, and every figure would flatter.
    DispatchQueue(label: "second thread").sync {}
    print("row".padded(to: 34), "ours ns".padded(to: 10), "rival ns".padded(to: 10), "ratio", "  rival")
    for row in Row.all where filter.isEmpty || row.name.contains(filter) {
      print(await row.measured(pairs: 7))
    }
  }

  /// Nil for arguments that make no sense.
  private static func filter(_ arguments: ArraySlice<String>) -> String? {
    if arguments.isEmpty { return "" }
    guard arguments.count == 2, arguments.first == "--filter" else { return nil }
    return arguments.last
  }
}
