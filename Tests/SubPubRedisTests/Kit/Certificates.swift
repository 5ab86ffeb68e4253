#if RedisTLS
  /// Certificates of two authorities, in a folder that goes with this object.
  final class Certificates: Sendable {
    private let folder = "/tmp/subpub-\(UUID().uuidString.prefix(8))"

    init() throws {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      let script = """
        set -e
        cd \(folder)
        new="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
        for ca in ours foreign; do openssl req -x509 $new -keyout $ca.key -out $ca.pem -subj /CN=$ca -days 2; done
        certify() {
          openssl req $new -keyout $1.key -out $1.csr -subj /CN=$1
          echo "$3" >$1.ext
          openssl x509 -req -in $1.csr -CA $2.pem -CAkey $2.key -CAcreateserial -extfile $1.ext -days $4 -out $1.pem
        }
        make() { certify $1 ours subjectAltName=$2 $3; }
        make server DNS:localhost,IP:127.0.0.1 2
        make elsewhere DNS:elsewhere.example 2
        make expired DNS:localhost,IP:127.0.0.1 -1
        make client DNS:client 2
        certify between ours basicConstraints=CA:TRUE 2
        certify colleague between subjectAltName=DNS:colleague 2
        cat between.pem >>colleague.pem
        """
      let process = try Child.start(["sh", "-c", script])
      process.waitUntilExit()
      guard process.status == 0 else { throw CocoaError(.executableLoad) }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// The file of a certificate: `ours` and `foreign` are authorities; `server`, `elsewhere`, `expired`, and `client`
    /// are certified by `ours`, and `colleague` by another one that is.
    func file(_ name: String) -> String { "\(folder)/\(name).pem" }

    func key(_ name: String) -> String { "\(folder)/\(name).key" }
  }
#endif
