/// What a row's figures count.
enum Unit: String {
  case nanoseconds = "ns"
  case microseconds = "µs"
  case bytes = "bytes"
  case objects = "objects"
}
