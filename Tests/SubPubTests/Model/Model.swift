/// The engine's machines, explored in every interleaving up to a bound of preemptions.
///
/// What decides is real: `RegistryState`, `Lane`, `Batch`, `LaneSignal`, `DeliveryGate`, `Subscription`. What is rebuilt
/// here is the shell around them, as calls that go one step at a time: a turn, an access of the gate or the signal, a
/// wake, the begin and the end of the subscriber's code, a release. One thread runs everything.
///
/// A turn is one step, but for a cancel's: that one shows its stores at the gate one after the other, because drains
/// look at the gate outside turns. Memory is sequentially consistent here; orderings are left to the stress tests and to
/// ThreadSanitizer.
enum Model {}
