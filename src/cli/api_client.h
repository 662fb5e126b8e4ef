// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// `weft` as a client of a manager's HTTP service (docs/reference/http.md).
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/common.h"

namespace httplib {
class Client;
}

namespace weft::cli {

struct ServerArgument {
  std::string url;         // empty: WEFT_SERVER, else kDefaultServer
  std::string token_file;  // empty: WEFT_TOKEN has the token, else WEFT_TOKEN_FILE the path
  std::string ca_file;     // empty: WEFT_CA_FILE, else the certificate authorities of the machine
  std::string certificate_file;  // empty: WEFT_CERTIFICATE_FILE, else none
  std::string key_file;          // empty: WEFT_KEY_FILE
  bool uses_environment = true;  // false: these variables are ignored
};
inline constexpr const char* kDefaultServer = "http://127.0.0.1:9115";

/// Declares --server, --token-file, --ca-file, --certificate-file and --key-file.
void add_server(CLI::App& app, ServerArgument& argument);

class ApiClient {
 public:
  /// Fails with kUsage if the URL is invalid, if the certificates cannot be used, or if only one of
  /// certificate and key is given; with kEnvironment if a certificate cannot be read; and as
  /// read_client_token() and check_private_file() do.
  static Result<ApiClient> open(const ServerArgument& argument);
  ApiClient(ApiClient&&) noexcept;
  ~ApiClient();

  /// Limits the time to connect, to send and to receive of later requests. Of each later get(),
  /// limits the time of the whole response and its size.
  void limit(std::chrono::milliseconds time, std::size_t bytes);

  /// Returns the response as JSON. Errors have the text of the response: kUsage for status 400 and
  /// 404, kBadInput for 409, kEnvironment for all other error statuses (wrong token, busy). Also
  /// fails with kEnvironment if the server cannot be reached, if a limit is exceeded, or if the
  /// response is not JSON.
  Result<Json> get(const std::string& path);
  /// Returns the text of the response. Fails with kEnvironment on an error status, if the server
  /// cannot be reached, and if the text is longer than `bytes_max`.
  Result<std::string> get_text(const std::string& path, std::size_t bytes_max);
  /// Sends a request with a JSON body (null: none). Returns the response, or fails, as get() does.
  Result<Json> send(const std::string& method, const std::string& path, const Json* body);
  /// Passes each line of the stream to `take` until `take` returns false or the service closes the
  /// stream. Begins with the first event after `last_event`. Sets the read timeout to 120 s. Fails
  /// with kEnvironment on an error status, if the connection fails, or after the timeout.
  Status follow(const std::string& path, std::uint64_t last_event,
                const std::function<bool(std::string_view line)>& take);

  /// Sets the longest time between two parts of a response.
  void set_read_timeout(std::chrono::milliseconds most);
  /// Aborts the request in progress, if any. Thread-safe.
  void stop();

  const std::string& server() const { return server_; }
  /// HTTP status of the response to the last get(), get_text() or send(); 0: no response.
  int status() const { return status_; }

 private:
  Result<Json> get_limited(const std::string& path);
  ApiClient(std::string server, std::unique_ptr<httplib::Client> client);
  std::string server_;
  int status_ = 0;
  std::unique_ptr<httplib::Client> client_;
  std::chrono::milliseconds time_max_{0};
  std::size_t bytes_max_ = 0;  // 0: no limits
};

/// A time in a response, cut after the seconds; empty if it is null.
std::string whole_seconds(const Json& object, const char* member);

/// Encodes text for the path or the query of a URL.
std::string percent_encoded(std::string_view text);

}  // namespace weft::cli
