// Answers every HTTP request with the number of requests so far: `counting-server FILE`. Writes its port to FILE, and
// then a line for each request.
import Foundation

#if canImport(Glibc)
  import Glibc
  private let stream = Int32(SOCK_STREAM.rawValue)
#else
  private let stream = SOCK_STREAM
#endif

func check(_ result: Int32, _ call: String) {
  guard result >= 0 else { fatalError("\(call): error \(errno)") }
}

let listener = socket(AF_INET, stream, 0)
check(listener, "socket")
var address = sockaddr_in()
address.sin_family = sa_family_t(AF_INET)
address.sin_addr.s_addr = inet_addr("127.0.0.1")
var length = socklen_t(MemoryLayout<sockaddr_in>.size)
withUnsafeMutablePointer(to: &address) { pointer in
  pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
    check(bind(listener, address, length), "bind")
    check(getsockname(listener, address, &length), "getsockname")
  }
}
check(listen(listener, 16), "listen")

guard CommandLine.arguments.count == 2, let file = fopen(CommandLine.arguments[1], "w") else {
  fatalError("usage: counting-server FILE")
}
func note(_ line: String) {
  fputs(line + "\n", file)
  fflush(file)
}
note("\(UInt16(bigEndian: address.sin_port))")

var requests = 0
while true {
  let connection = accept(listener, nil, nil)
  check(connection, "accept")
  // A request has no body, so its first part is all that matters.
  var request = [UInt8](repeating: 0, count: 4096)
  guard read(connection, &request, request.count) > 0 else {
    close(connection)
    continue
  }
  requests += 1
  note("request \(requests)")
  let body = "forecast \(requests)"
  let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
  _ = write(connection, answer, answer.utf8.count)
  close(connection)
}
