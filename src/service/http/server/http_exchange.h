// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A request and its answer as objects of libmicrohttpd.
#pragma once

#include <microhttpd.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "service/http/http_message.h"
#include "service/http/http_server.h"
#include "service/http/server/http_limits.h"
#include "service/http/server/http_tls.h"

namespace weft {

int socket_of(MHD_Connection* connection);
/// The TLS session of a connection; null if the connection is not encrypted.
gnutls_session_t session_of(MHD_Connection* connection);
/// The address of the client, without port.
std::string address_of(MHD_Connection* connection);

struct HttpServer::Client {
  std::string address;
  std::shared_ptr<const HttpTls> tls;   // null: not encrypted
  std::optional<HttpPeer> certificate;  // set by the first request
};

struct HttpServer::Exchange {
  Exchange(MHD_Connection* peer, std::string text, const char* where)
      : connection(peer), fd(socket_of(peer)), target(std::move(text)), target_at(where) {}

  MHD_Connection* const connection;
  const int fd;
  const std::string target;     // path and query as received, up to a NUL
  const char* const target_at;  // start of the target in the received head
  bool has_begun = false;       // HttpServer::begin() was called
  HttpRequest request;
  HttpPriority rank = HttpPriority::kOrdinary;
  bool has_priority() const { return rank != HttpPriority::kOrdinary; }
  HttpBodies::Body body;  // counted in HttpBodies until the end of the answer

  // Guarded by the mutex of the server. `stream` and `stream_of` are set before other threads use
  // these members.
  std::unique_ptr<HttpAnswer> answer;
  bool suspended = false;
  HttpServer::Time not_before{};  // earliest time to send the answer
  std::unique_ptr<HttpStream> stream;
  HttpServer* stream_of = nullptr;
  std::string unsent;  // unsent bytes of the stream
};

/// Reads the head of the request. Fails with the status of the refusal, as request_of().
tl::expected<HttpRequest, int> request_of_connection(MHD_Connection* connection,
                                                     const std::string& target,
                                                     const char* target_at, const char* method,
                                                     const char* version);

/// The answer with its headers as an object of libmicrohttpd, which shares the body. Null if memory
/// is exhausted.
MHD_Response* response_of(const HttpAnswer& answer, MHD_ContentReaderFreeCallback free_body);

/// Sets the options of the socket of a new connection.
void prepare_socket(int fd, const HttpLimits& limits);

}  // namespace weft
