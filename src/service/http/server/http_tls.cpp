// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/server/http_tls.h"

#include <gnutls/x509.h>

#include <array>

#include "base/file.h"
#include "service/http/token.h"

namespace weft {
namespace {

constexpr std::size_t kPemMax = std::size_t{1} << 20;

gnutls_datum_t datum_of(std::string_view text) {
  return {reinterpret_cast<unsigned char*>(const_cast<char*>(text.data())),
          static_cast<unsigned>(text.size())};
}

std::string common_name_of(const gnutls_datum_t& der) {
  gnutls_x509_crt_t certificate = nullptr;
  if (gnutls_x509_crt_init(&certificate) != 0) return {};
  std::array<char, 256> text{};
  std::size_t size = text.size();
  const bool good = gnutls_x509_crt_import(certificate, &der, GNUTLS_X509_FMT_DER) == 0 &&
                    gnutls_x509_crt_get_dn_by_oid(certificate, GNUTLS_OID_X520_COMMON_NAME, 0, 0,
                                                  text.data(), &size) == 0;
  gnutls_x509_crt_deinit(certificate);
  return good ? std::string(text.data(), size) : std::string();
}

}  // namespace

Result<std::shared_ptr<const HttpTls>> HttpTls::read(const HttpTlsFiles& files) {
  if (const Status is_private = check_private_file(files.key); !is_private)
    return forward(is_private);
  HttpTlsTexts texts;
  std::string key;
  for (const auto& [path, text] :
       {std::pair(&files.certificate, &texts.certificate), std::pair(&files.key, &key),
        std::pair(&files.client_ca, &texts.client_ca)}) {
    if (path->empty()) continue;
    auto content = read_file(*path, kPemMax);
    if (!content) return forward(content);
    *text = std::move(*content);
  }
  texts.key = Secret(std::move(key));
  std::shared_ptr<HttpTls> tls(new HttpTls);
  if (const Status loaded = tls->load(std::move(texts), files); !loaded) return forward(loaded);
  return std::shared_ptr<const HttpTls>(std::move(tls));
}

Result<std::shared_ptr<const HttpTls>> HttpTls::of(HttpTlsTexts texts) {
  std::shared_ptr<HttpTls> tls(new HttpTls);
  const HttpTlsFiles names{"http_certificate_file", "http_key_file",
                           texts.client_ca.empty() ? "" : "http_client_ca_file"};
  if (const Status loaded = tls->load(std::move(texts), names); !loaded) return forward(loaded);
  return std::shared_ptr<const HttpTls>(std::move(tls));
}

HttpTls::~HttpTls() {
  if (credentials_ != nullptr) gnutls_certificate_free_credentials(credentials_);
}

Status HttpTls::load(HttpTlsTexts texts, const HttpTlsFiles& names) {
  texts_ = std::move(texts);
  if (gnutls_certificate_allocate_credentials(&credentials_) != 0)
    return fail(Code::kEnvironment, "{}: cannot load the certificate: no memory",
                names.certificate);
  const gnutls_datum_t public_part = datum_of(texts_.certificate);
  const gnutls_datum_t private_part = datum_of(texts_.key.view());
  const int loaded = gnutls_certificate_set_x509_key_mem2(credentials_, &public_part, &private_part,
                                                          GNUTLS_X509_FMT_PEM, nullptr, 0);
  if (loaded < 0)
    return fail(Code::kBadInput, "{}: cannot be used with the key {}: {}", names.certificate,
                names.key, gnutls_strerror(loaded));
  if (names.client_ca.empty()) return {};
  const gnutls_datum_t trusted = datum_of(texts_.client_ca);
  const int count =
      gnutls_certificate_set_x509_trust_mem(credentials_, &trusted, GNUTLS_X509_FMT_PEM);
  if (count <= 0)
    return fail(Code::kBadInput, "{}: found no certificate in PEM form: {}", names.client_ca,
                count < 0 ? gnutls_strerror(count) : "empty");
  requests_certificates_ = true;
  return {};
}

void HttpTls::use_in(gnutls_session_t session) const {
  (void)gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, credentials_);
  gnutls_certificate_server_set_request(
      session, requests_certificates_ ? GNUTLS_CERT_REQUEST : GNUTLS_CERT_IGNORE);
}

HttpPeer HttpTls::peer_of(gnutls_session_t session) const {
  HttpPeer peer;
  unsigned count = 0;
  const gnutls_datum_t* const chain = gnutls_certificate_get_peers(session, &count);
  if (!requests_certificates_ || chain == nullptr || count == 0) return peer;
  peer.common_name = common_name_of(chain[0]);
  if (peer.common_name.empty()) peer.common_name = "(no common name)";
  gnutls_typed_vdata_st purpose{};
  purpose.type = GNUTLS_DT_KEY_PURPOSE_OID;
  purpose.data = reinterpret_cast<unsigned char*>(const_cast<char*>(GNUTLS_KP_TLS_WWW_CLIENT));
  unsigned status = 0;
  peer.is_valid =
      gnutls_certificate_verify_peers(session, &purpose, 1, &status) == 0 && status == 0;
  return peer;
}

}  // namespace weft
