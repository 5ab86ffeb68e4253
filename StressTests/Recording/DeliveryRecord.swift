import SubPub

/// One delivery, as the subscriber saw it: 32 bytes.
struct DeliveryRecord: Sendable {
  var begin: UInt64
  var end: UInt64
  /// `unknownVersion` where the face hands over a state only.
  var version: UInt32
  /// Of the value, or of the previous one; 0: there is none.
  var number: UInt32
  var thread: UInt32
  var phase: UInt8
  /// It ran on the context that was declared.
  var isInPlace: Bool
  /// It ran on a hammering thread.
  var isOnHammer: Bool

  static let unknownVersion = UInt32.max
}

extension LoadPhase {
  var code: UInt8 {
    switch self {
    case .unknown: 0
    case .loading: 1
    case .loaded: 2
    case .error: 3
    }
  }
}
