// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/api_client.h"

#include <httplib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "cli/common.h"
#include "service/http/token.h"
#include "service/no_response.h"

namespace weft::cli {
namespace {

constexpr time_t kConnectSeconds = 5;
constexpr time_t kAnswerSeconds = 120;  // a change may have to wait for a sweep

Result<std::string> token_of(const ServerArgument& argument) {
  if (!argument.token_file.empty()) return read_client_token(argument.token_file);
  if (!argument.uses_environment) return std::string();
  if (std::string token = environment("WEFT_TOKEN"); !token.empty()) return token;
  if (const std::string file = environment("WEFT_TOKEN_FILE"); !file.empty())
    return read_client_token(file);
  return std::string();
}

std::string file_of(const ServerArgument& argument, const std::string& file, const char* variable) {
  return file.empty() && argument.uses_environment ? environment(variable) : file;
}

/// The client with the certificates for https.
Result<std::unique_ptr<httplib::Client>> client_of(const std::string& url,
                                                   const ServerArgument& argument) {
  const std::string certificate =
      file_of(argument, argument.certificate_file, "WEFT_CERTIFICATE_FILE");
  const std::string key = file_of(argument, argument.key_file, "WEFT_KEY_FILE");
  const std::string authorities = file_of(argument, argument.ca_file, "WEFT_CA_FILE");
  if (certificate.empty() != key.empty())
    return fail(Code::kUsage,
                "client certificate (--certificate-file) and its key (--key-file): found one, "
                "expected both");
  if (!key.empty())
    if (const Status is_private = check_private_file(key); !is_private) return forward(is_private);
  for (const std::string& file : {certificate, authorities})
    if (!file.empty() && ::access(file.c_str(), R_OK) != 0)
      return fail(Code::kEnvironment, "{}: {}", file, std::strerror(errno));
  auto client = std::make_unique<httplib::Client>(url, certificate, key);
  if (!client->is_valid())
    return fail(Code::kUsage, "server {}: URL or certificate cannot be used", weft::quoted(url));
  if (!authorities.empty()) client->set_ca_cert_path(authorities.c_str());
  return client;
}

/// The member "error" of a response; empty if it is missing or not a text.
std::string error_member(const Json& json) {
  const auto found = json.find("error");
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Result<Json> answer_of(const std::string& server, const httplib::Result& result) {
  if (!result)
    return fail(Code::kEnvironment, "{}: {}: check that weft sm runs with --http", server,
                reason_without_response(result.error()));
  Json json = Json::parse(result->body, nullptr, false);
  if (json.is_discarded())
    return fail(Code::kEnvironment, "{}: response (status {}): not valid JSON", server,
                result->status);
  if (result->status < 300) return json;
  std::string what = error_member(json);
  if (what.empty()) what = fmt::format("response status {}, no reason given", result->status);
  if (result->status == 400 || result->status == 404) return fail(Code::kUsage, "{}", what);
  if (result->status == 409) return fail(Code::kBadInput, "{}", what);
  return fail(Code::kEnvironment, "{}: {}", server, what);
}

}  // namespace

void add_server(CLI::App& app, ServerArgument& argument) {
  app.add_option("--server", argument.url,
                 "Connect to this HTTP service of weft sm; environment variable: WEFT_SERVER")
      ->option_text(fmt::format("URL [{}]", kDefaultServer));
  app.add_option(
         "--token-file", argument.token_file,
         "Read the token from this file, accessible to its owner only; environment variables: "
         "WEFT_TOKEN_FILE (path), WEFT_TOKEN (token)")
      ->option_text("FILE");
  app.add_option(
         "--ca-file", argument.ca_file,
         "Accept an https server if its certificate chain ends at a certificate in this file; "
         "environment variable: WEFT_CA_FILE")
      ->option_text("FILE [authorities of this machine]");
  app.add_option("--certificate-file", argument.certificate_file,
                 "Identify with this client certificate; environment variable: "
                 "WEFT_CERTIFICATE_FILE")
      ->option_text("FILE");
  app.add_option("--key-file", argument.key_file,
                 "Read the key of the client certificate from this file, accessible to its owner "
                 "only; environment variable: WEFT_KEY_FILE")
      ->option_text("FILE");
}

ApiClient::ApiClient(std::string server, std::unique_ptr<httplib::Client> client)
    : server_(std::move(server)), client_(std::move(client)) {}
ApiClient::ApiClient(ApiClient&&) noexcept = default;
ApiClient::~ApiClient() = default;

Result<ApiClient> ApiClient::open(const ServerArgument& argument) {
  std::string url = file_of(argument, argument.url, "WEFT_SERVER");
  if (url.empty()) url = kDefaultServer;
  if (url.find("://") == std::string::npos) url = "http://" + url;
  while (url.ends_with('/')) url.pop_back();
  const std::size_t scheme = url.find("://");
  const std::string_view rest = std::string_view(url).substr(scheme + 3);
  if ((!url.starts_with("http://") && !url.starts_with("https://")) || rest.empty() ||
      rest.find_first_of("/?# @") != std::string_view::npos)
    return fail(Code::kUsage, "URL of the server: found {}, expected a URL such as {}",
                weft::quoted(url), kDefaultServer);
  auto token = token_of(argument);
  if (!token) return forward(token);
  auto client = client_of(url, argument);
  if (!client) return forward(client);
  (*client)->set_connection_timeout(kConnectSeconds);
  (*client)->set_read_timeout(kAnswerSeconds);
  (*client)->set_keep_alive(true);
  if (!token->empty()) (*client)->set_bearer_token_auth(token->c_str());
  return ApiClient(std::move(url), std::move(*client));
}

void ApiClient::limit(std::chrono::milliseconds time, std::size_t bytes) {
  client_->set_connection_timeout(time);
  client_->set_read_timeout(time);
  client_->set_write_timeout(time);
  time_max_ = time;
  bytes_max_ = bytes;
}

Result<Json> ApiClient::get(const std::string& path) {
  if (bytes_max_ > 0) return get_limited(path);
  const auto result = client_->Get(path.c_str());
  status_ = result ? result->status : 0;
  return answer_of(server_, result);
}

/// The time limit of the socket applies to each part of the response; this function applies the
/// limit to the whole response.
Result<Json> ApiClient::get_limited(const std::string& path) {
  std::string body;
  bool fits = true, in_time = true;
  const auto until = std::chrono::steady_clock::now() + time_max_;
  auto result = client_->Get(path.c_str(), [&](const char* data, std::size_t size) {
    fits = size <= bytes_max_ - body.size();
    in_time = std::chrono::steady_clock::now() <= until;
    if (fits && in_time) body.append(data, size);
    return fits && in_time;
  });
  status_ = result ? result->status : 0;
  if (!fits)
    return fail(Code::kEnvironment, "{}: found a response of more than {} bytes", server_,
                bytes_max_);
  if (!in_time)
    return fail(Code::kEnvironment, "{}: found no complete response after {} ms", server_,
                time_max_.count());
  if (result) result->body = std::move(body);
  return answer_of(server_, result);
}

Result<std::string> ApiClient::get_text(const std::string& path, std::size_t bytes_max) {
  std::string text;
  bool fits = true;
  const auto result = client_->Get(path.c_str(), [&](const char* data, std::size_t size) {
    fits = size <= bytes_max - text.size();
    if (fits) text.append(data, size);
    return fits;
  });
  status_ = result ? result->status : 0;
  if (!fits)
    return fail(Code::kEnvironment, "{}: found a response of more than {} bytes", server_,
                bytes_max);
  if (!result)
    return fail(Code::kEnvironment, "{}: {}", server_, reason_without_response(result.error()));
  if (result->status < 300) return text;
  const Json json = Json::parse(text, nullptr, false);
  const std::string why = error_member(json);
  return fail(Code::kEnvironment, "{}: response status {}{}{}", server_, result->status,
              why.empty() ? "" : ": ", why);
}

void ApiClient::set_read_timeout(std::chrono::milliseconds most) {
  client_->set_read_timeout(most);
}

void ApiClient::stop() { client_->stop(); }

Result<Json> ApiClient::send(const std::string& method, const std::string& path, const Json* body) {
  httplib::Request request;
  request.method = method;
  request.path = path;
  if (body != nullptr) {
    request.body = body->dump(-1, ' ', false, Json::error_handler_t::replace);
    request.set_header("Content-Type", "application/json");
  }
  const auto result = client_->send(request);
  status_ = result ? result->status : 0;
  return answer_of(server_, result);
}

Status ApiClient::follow(const std::string& path, std::uint64_t last_event,
                         const std::function<bool(std::string_view line)>& take) {
  std::string rest;
  bool wanted = true;
  client_->set_read_timeout(kAnswerSeconds);
  const httplib::Headers headers{{"Last-Event-ID", std::to_string(last_event)}};
  const auto result = client_->Get(path.c_str(), headers, [&](const char* data, std::size_t size) {
    rest.append(data, size);
    std::size_t begin = 0;
    for (std::size_t end = 0; wanted && (end = rest.find('\n', begin)) != std::string::npos;
         begin = end + 1)
      wanted = take(std::string_view(rest).substr(begin, end - begin));
    rest.erase(0, begin);
    return wanted;
  });
  if (!wanted) return {};
  if (!result)
    return fail(Code::kEnvironment, "{}: {}", server_, reason_without_response(result.error()));
  if (result->status >= 300)
    return fail(Code::kEnvironment, "{}: response status {}", server_, result->status);
  return {};
}

std::string whole_seconds(const Json& object, const char* member) {
  constexpr std::size_t kSecondsEnd = 19;  // "2026-11-30T11:52:51.123Z"
  const Json& time = object.at(member);
  return time.is_string() ? time.get<std::string>().substr(0, kSecondsEnd) : std::string();
}

std::string percent_encoded(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                       std::string_view("-._~").find(c) != std::string_view::npos;
    if (plain)
      result += c;
    else
      result += fmt::format("%{:02X}", byte);
  }
  return result;
}

}  // namespace weft::cli
