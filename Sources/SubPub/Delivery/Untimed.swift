/// A queue or executor of a test's, on which a drain doesn't look at the clock before it goes on: what happens there
/// follows from nothing but the order in which it runs its jobs.
package protocol Untimed: AnyObject {}
