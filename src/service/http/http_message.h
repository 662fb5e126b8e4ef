// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// HTTP on the byte level: finds the end of a request, parses it, and serializes the answer.
// cpp-httplib parses and serializes; its own server is not used, because it dedicates a thread to
// each connection, so that a few idle peers would occupy all threads.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

struct HttpRequest {
  std::string method;                             // "GET" for HEAD too
  std::string path;                               // decoded, without the query
  std::multimap<std::string, std::string> query;  // decoded
  std::string token;                              // of "Authorization: Bearer", or empty
  std::string host;                               // Host, unchanged
  std::optional<std::string> last_event;          // Last-Event-ID
  std::string have_tag;                           // If-None-Match
  std::string body_type;                          // Content-Type without parameters
  std::string body;

  const std::string* find(const std::string& name) const {
    const auto found = query.find(name);
    return found == query.end() ? nullptr : &found->second;
  }
};

/// A body that is sent in parts until the peer disconnects. Used by one thread.
class HttpStream {
 public:
  virtual ~HttpStream() = default;
  /// The bytes to send now; may be empty.
  virtual std::string next() = 0;
};

struct HttpAnswer {
  int status = 200;
  std::string type = "application/json";
  std::shared_ptr<const std::string> body;  // may be null, and shared with other answers
  std::vector<std::pair<std::string, std::string>> headers{};
  std::unique_ptr<HttpStream> stream{};  // instead of a body
  bool penalty = false;                  // delay the answer: wrong token
  /// If set, replaces all members above: computes the answer on a thread that may block.
  std::function<HttpAnswer()> later{};
};

using HttpHandler = std::function<HttpAnswer(const HttpRequest& request)>;
/// Returns empty without side effects if the answer would take longer than microseconds.
using HttpQuickHandler = std::function<std::optional<HttpAnswer>(const HttpRequest& request)>;

inline constexpr std::size_t kHttpHeadMax = 8192;
inline constexpr std::size_t kHttpBodyMax = 65536;

/// The first request in the bytes received so far.
struct HttpFrame {
  enum class Kind { kPartial, kWhole, kRefused };
  Kind kind = Kind::kPartial;
  std::size_t head = 0;  // bytes
  std::size_t body = 0;  // bytes
  int status = 0;        // HTTP status, if refused
};
HttpFrame find_request(std::string_view bytes);

/// A serialized answer, or its head if a stream follows.
struct HttpReply {
  std::string bytes;
  bool close = false;  // close the connection afterwards
  std::unique_ptr<HttpStream> stream;
  bool penalty = false;
  std::function<HttpAnswer()> later;  // if set: computes the answer; `bytes` is empty
};
HttpReply reply_to(std::string_view head, std::string_view body, const HttpHandler& handler);
/// Empty if `handler` returns empty.
std::optional<HttpReply> quick_reply_to(std::string_view head, std::string_view body,
                                        const HttpQuickHandler& handler);
/// The answer to an invalid request.
std::string refusal(int status);

}  // namespace weft
