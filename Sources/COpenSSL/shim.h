#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// Macros, which Swift doesn't import.
static inline int subpub_require_tls_1_2(SSL_CTX *context) {
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1;
}

static inline int subpub_name_server(SSL *session, const char *name) {
  return SSL_set_tlsext_host_name(session, name) == 1;
}
