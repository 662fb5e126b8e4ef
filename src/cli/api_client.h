// `weft` as a client of a manager's HTTP service (docs/reference/http.md).
#pragma once

#include <CLI/CLI.hpp>
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
  std::string token_file;  // empty: the token is in WEFT_TOKEN, or in the file WEFT_TOKEN_FILE
};
inline constexpr const char* kDefaultServer = "http://127.0.0.1:9115";

/// Declares --server and --token-file.
void add_server(CLI::App& app, ServerArgument& argument);

class ApiClient {
 public:
  /// Fails with kUsage for what is no URL of a server, and as read_token().
  static Result<ApiClient> open(const ServerArgument& argument);
  ApiClient(ApiClient&&) noexcept;
  ~ApiClient();

  /// Each fails with the service's own words: kUsage where it says that the request is wrong or
  /// about something that is not there, kBadInput where it refuses it, kEnvironment where it cannot
  /// be reached, wants another token, or cannot do it now.
  Result<Json> get(const std::string& path);
  Result<Json> send(const std::string& method, const std::string& path, const Json* body);
  /// Lines as they come, until `take` says false or the service ends.
  /// `last_event`: what comes behind this one is wanted.
  Status follow(const std::string& path, std::uint64_t last_event,
                const std::function<bool(std::string_view line)>& take);

  const std::string& server() const { return server_; }
  /// Of the last answer; 0: there was none.
  int status() const { return status_; }

 private:
  ApiClient(std::string server, std::unique_ptr<httplib::Client> client);
  std::string server_;
  int status_ = 0;
  std::unique_ptr<httplib::Client> client_;
};

/// For a path or a query.
std::string percent_encoded(std::string_view text);

}  // namespace weft::cli
