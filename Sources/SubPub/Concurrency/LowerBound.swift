extension RandomAccessCollection where Index == Int {
  /// The first place, in a collection that is in order, whose element isn't less than some value; the end if all are.
  ///
  /// - Complexity: O(log *n*).
  package func lowerBound(where isLess: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if isLess(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
