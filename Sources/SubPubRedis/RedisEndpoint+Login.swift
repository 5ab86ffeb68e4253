#if Redis
  import Foundation
  import SubPub

  extension RedisEndpoint {
    /// The host's name; for a socket in the file system, the one that its server's certificate would have.
    var host: String { if case .tcp(let host, _) = address { host } else { "localhost" } }

    /// The login of the next connection; nil if there is none.
    ///
    /// Blocks the calling thread, which waits for servers anyway, while the closure is asked.
    func currentLogin() throws(RedisError.Reason) -> (username: String?, password: String)? {
      switch login {
      case .none: return nil
      case .password(let password, let username): return (username, password)
      case .asked(let source): return try source.wait(upTo: connectTimeout)
      }
    }
  }

  extension CredentialsSource {
    fileprivate func wait(upTo limit: Duration) throws(RedisError.Reason) -> (username: String?, password: String) {
      let answer = Locked<Result<(username: String?, password: String), any Error>?>(nil)
      let answered = DispatchSemaphore(value: 0)
      let task = Task.detached { [ask] in
        let result: Result<(username: String?, password: String), any Error>
        do { result = .success(try await ask()) } catch { result = .failure(error) }
        answer.withLock { $0 = result }
        answered.signal()
      }
      let nanoseconds = Int((limit / .nanoseconds(1)).rounded(.up))
      guard answered.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success else {
        task.cancel()
        throw .unreachable("the credentials take longer than \(limit)")
      }
      switch answer.withLock({ $0 }) {
      case .success(let credentials): return credentials
      case .failure(let error): throw .unreachable("the credentials can't be had: \(error)")
      case nil: throw .unreachable("the credentials can't be had")
      }
    }
  }
#endif
