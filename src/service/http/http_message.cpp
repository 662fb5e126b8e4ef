// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/http_message.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/letters.h"
#include "base/text.h"
#include "service/http/ufm/ufm_paths.h"

namespace weft {

namespace {

constexpr std::string_view kBearer = "bearer ";
constexpr std::string_view kBasic = "basic ";

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

/// Whether all parsers read the header in the same way, which prevents request smuggling. Some
/// parsers accept a line feed or a carriage return as the end of a line, or a space before the
/// colon.
bool is_header(std::string_view name, std::string_view value) {
  return !name.empty() &&
         std::ranges::none_of(name, [](char c) { return is_control(c) || c == ' '; }) &&
         std::ranges::none_of(value, [](char c) { return is_control(c) && c != '\t'; });
}

bool is_target(std::string_view target) {
  return target.starts_with('/') &&
         std::ranges::none_of(target, [](char c) { return is_control(c) || c == ' '; });
}

int value_of(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  digit = lower(digit);
  return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

std::multimap<std::string, std::string> query_of(std::string_view text) {
  std::multimap<std::string, std::string> query;
  for (const std::string_view pair : split(text, '&')) {
    const std::size_t equals = std::min(pair.find('='), pair.size());
    std::string name = percent_decoded(pair.substr(0, equals), true);
    if (name.empty()) continue;
    const std::string_view value = pair.substr(std::min(equals + 1, pair.size()));
    query.emplace(std::move(name), percent_decoded(value, true));
  }
  return query;
}

/// Results of the headers that were read.
struct HeadersSoFar {
  bool has_length = false;
  std::string_view basic;  // the credentials of "Authorization: Basic"
};

/// Applies a header to the request. Returns 0, or the status of the refusal.
int take_header(const std::string& name, std::string_view value, HeadersSoFar& so_far,
                HttpRequest& request) {
  if (name == "transfer-encoding") return 501;
  if (name == "content-length") {
    const auto length = parse_number<std::size_t>(value);
    if (!length || so_far.has_length) return 400;
    so_far.has_length = true;
    request.body_size = *length;
  } else if (name == "host") {
    request.host = std::string(value);
  } else if (name == "authorization") {
    if (equal_words(value.substr(0, kBearer.size()), kBearer))
      request.token = std::string(trim(value.substr(kBearer.size())));
    if (equal_words(value.substr(0, kBasic.size()), kBasic))
      so_far.basic = trim(value.substr(kBasic.size()));
  } else if (name == "last-event-id") {
    request.last_event = std::string(value);
  } else if (name == "if-none-match") {
    request.have_tag = std::string(value);
  } else if (name == "content-type") {
    request.body_type = lower(trim(value.substr(0, value.find(';'))));
  }
  return 0;
}

std::string_view words_of(int status) {
  constexpr std::pair<int, std::string_view> kWords[] = {
      {400, "Bad Request"},           {408, "Request Timeout"},
      {413, "Payload Too Large"},     {431, "Request Header Fields Too Large"},
      {500, "Internal Server Error"}, {501, "Not Implemented"},
      {503, "Service Unavailable"},
  };
  for (const auto& [known, text] : kWords)
    if (known == status) return text;
  return "Error";
}

std::string refusal_text(int status) {
  return fmt::format("{{\"error\":\"{}\"}}\n", words_of(status));
}

}  // namespace

std::string percent_decoded(std::string_view text, bool plus_is_space) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && value_of(text[i + 1]) >= 0 &&
        value_of(text[i + 2]) >= 0) {
      decoded += static_cast<char>(value_of(text[i + 1]) * 16 + value_of(text[i + 2]));
      i += 2;
    } else {
      decoded += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  return decoded;
}

tl::expected<HttpRequest, int> request_of(const HttpHead& head) {
  if (head.size > kHttpHeadMax) return tl::unexpected(431);
  if (!is_target(head.target)) return tl::unexpected(400);
  HttpRequest request;
  request.head_only = head.method == "HEAD";
  request.method = request.head_only ? "GET" : std::string(head.method);
  const std::size_t question = std::min(head.target.find('?'), head.target.size());
  request.path = percent_decoded(head.target.substr(0, question), false);
  request.query = query_of(head.target.substr(std::min(question + 1, head.target.size())));
  HeadersSoFar so_far;
  int refused = 0;
  for (const auto& [name, value] : head.headers) {
    if (!is_header(name, value)) return tl::unexpected(400);
    const int status = take_header(lower(name), trim(value), so_far, request);
    refused = std::max(refused, status);  // 501 is more specific than 400
  }
  if (refused != 0) return tl::unexpected(refused);
  if (request.body_size > kHttpBodyMax) return tl::unexpected(413);
  apply_ufm_base(request, so_far.basic);
  return request;
}

HttpAnswer refusal(int status) {
  HttpAnswer answer;
  answer.status = status;
  answer.body = std::make_shared<const std::string>(refusal_text(status));
  answer.close = true;
  return answer;
}

std::string refusal_bytes(int status) {
  const std::string body = refusal_text(status);
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n"
      "Connection: close\r\n\r\n{}",
      status, words_of(status), body.size(), body);
}

}  // namespace weft
