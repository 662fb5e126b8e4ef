// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/alarms/json_poster.h"

#include <httplib.h>

#include <chrono>

#include "service/no_response.h"

namespace weft {
namespace {

constexpr time_t kPostSeconds = 5;
constexpr auto kAnswerTime = std::chrono::seconds(20);
constexpr std::size_t kAnswerBytes = 65'536;

}  // namespace

JsonPoster::JsonPoster(const PosterOptions& options)
    : client_(std::make_unique<httplib::Client>(options.url.origin)) {
  client_->set_connection_timeout(kPostSeconds);
  client_->set_read_timeout(kPostSeconds);
  client_->set_write_timeout(kPostSeconds);
  if (!options.ca_file.empty()) client_->set_ca_cert_path(options.ca_file.c_str());
  if (!options.token.empty()) client_->set_bearer_token_auth(options.token.c_str());
}

JsonPoster::~JsonPoster() = default;

Status JsonPoster::post(const std::string& path, const std::string& body) {
  if (!client_->is_valid()) return fail(Code::kTimeout, "URL or certificates cannot be used");
  httplib::Request request;
  request.method = "POST";
  request.path = path;
  request.body = body;
  request.set_header("Content-Type", "application/json");
  request.set_header("User-Agent", "weft");
  const auto until = std::chrono::steady_clock::now() + kAnswerTime;
  std::size_t size = 0;
  request.content_receiver = [&](const char*, std::size_t more, std::uint64_t, std::uint64_t) {
    size += more;
    return size <= kAnswerBytes && std::chrono::steady_clock::now() < until;
  };
  const auto result = client_->send(request);
  if (!result) return fail(Code::kTimeout, "{}", reason_without_response(result.error()));
  const int status = result->status;
  if (status >= 200 && status < 300) return {};
  const bool may_succeed = status == 408 || status == 429 || status >= 500;
  return fail(may_succeed ? Code::kTimeout : Code::kRejected,
              "found response status {}, expected 200 to 299", status);
}

void JsonPoster::stop() { client_->stop(); }

}  // namespace weft
