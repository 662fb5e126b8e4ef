// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The certificate of the HTTP server, and the authorities of accepted client certificates.
#pragma once

#include <gnutls/gnutls.h>

#include <memory>
#include <string>

#include "base/result.h"
#include "base/secret.h"

namespace weft {

struct HttpTlsFiles {
  std::string certificate;  // PEM: certificate of the server, then intermediate certificates
  std::string key;          // PEM; only the owner of the file may have access
  std::string client_ca;    // PEM; empty: client certificates are not requested
};

/// The contents of the files.
struct HttpTlsTexts {
  std::string certificate;
  Secret key;
  std::string client_ca;
};

/// The certificate of a client.
struct HttpPeer {
  std::string common_name;  // empty: the client sent no certificate
  bool is_valid = false;
};

class HttpTls {
 public:
  /// Reads the files. Fails with kEnvironment if a file cannot be read, with kUsage if users other
  /// than the owner have access to the key, and with kBadInput if a certificate is invalid or does
  /// not match the key.
  static Result<std::shared_ptr<const HttpTls>> read(const HttpTlsFiles& files);
  /// Loads the contents of files that were read before. Fails with kBadInput, or with kEnvironment
  /// if memory is exhausted.
  static Result<std::shared_ptr<const HttpTls>> of(HttpTlsTexts texts);
  ~HttpTls();
  HttpTls(const HttpTls&) = delete;
  HttpTls& operator=(const HttpTls&) = delete;

  const std::string& certificate() const { return texts_.certificate; }
  const Secret& key() const { return texts_.key; }
  const HttpTlsTexts& texts() const { return texts_; }
  /// Sets the credentials of a session before its handshake. The session must not outlive this
  /// object.
  void use_in(gnutls_session_t session) const;
  /// The certificate of the client, after the handshake.
  HttpPeer peer_of(gnutls_session_t session) const;

 private:
  HttpTls() = default;
  /// Loads the contents; `names` are the paths of the files, or their keys, for messages.
  Status load(HttpTlsTexts texts, const HttpTlsFiles& names);

  HttpTlsTexts texts_;
  gnutls_certificate_credentials_t credentials_ = nullptr;
  bool requests_certificates_ = false;
};

inline constexpr const char* kHttpTlsPriorities =
    "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:%SERVER_PRECEDENCE";

}  // namespace weft
