// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Requests and answers of the HTTP service, independent of the server, and the rules for the head
// of a request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace weft {

struct HttpRequest {
  std::string method;                             // "GET" also for HEAD
  bool head_only = false;                         // the method is HEAD
  std::string path;                               // decoded, without the query
  std::multimap<std::string, std::string> query;  // decoded
  std::string token;  // of "Authorization: Bearer", or on UFM's paths the password of "Basic"
  std::string host;   // header Host, unchanged
  std::optional<std::string> last_event;  // header Last-Event-ID
  std::string have_tag;                   // header If-None-Match
  std::string body_type;                  // Content-Type without parameters
  std::size_t body_size = 0;              // Content-Length
  std::string body;

  std::string address;                 // address of the client, without port
  std::string certificate;             // common name of the client's certificate, or empty
  bool has_valid_certificate = false;  // the certificate is signed by an accepted authority

  const std::string* find(const std::string& name) const {
    const auto found = query.find(name);
    return found == query.end() ? nullptr : &found->second;
  }
};

/// A body that is sent in parts until the peer disconnects. Only one thread uses this object.
class HttpStream {
 public:
  virtual ~HttpStream() = default;
  /// The bytes to send now; may be empty.
  virtual std::string next() = 0;
};

struct HttpAnswer {
  int status = 200;
  std::string type = "application/json";
  std::shared_ptr<const std::string> body;  // may be null; answers may share a body
  std::vector<std::pair<std::string, std::string>> headers{};
  std::unique_ptr<HttpStream> stream{};         // replaces the body if set
  std::optional<std::uint64_t> stream_after{};  // id of the event before the stream
  bool penalty = false;                         // delay the answer, after a wrong token
  bool close = false;                           // close the connection after the answer
  /// If set, replaces all members above: computes the answer, on a thread that may block.
  std::function<HttpAnswer()> later{};
  /// If set, replaces all members above: passes the answer once to `done`, on any thread, without
  /// blocking a thread.
  std::function<void(std::function<void(HttpAnswer)> done)> deferred{};
};

using HttpHandler = std::function<HttpAnswer(const HttpRequest& request)>;
/// Returns the answer if it takes only microseconds. Otherwise returns an empty value and has no
/// side effects.
using HttpQuickHandler = std::function<std::optional<HttpAnswer>(const HttpRequest& request)>;

inline constexpr std::size_t kHttpHeadMax = 8192;
inline constexpr std::size_t kHttpBodyMax = 65536;

/// The head of a request as received.
struct HttpHead {
  std::string_view method;
  std::string_view target;                                             // path and query, encoded
  std::size_t size = 0;                                                // bytes of the whole head
  std::vector<std::pair<std::string_view, std::string_view>> headers;  // names in any letter case
};

/// The request without its body. Fails with the status of the refusal: 431 or 413 for an oversized
/// request, 501 for a Transfer-Encoding, and 400 for a target that does not begin with '/', and for
/// a request that other parsers may read differently: with control characters, spaces in names or
/// in the target, or several lengths.
tl::expected<HttpRequest, int> request_of(const HttpHead& head);

/// Decodes %XX, and '+' as a space if `plus_is_space`. Incomplete escapes are unchanged.
std::string percent_decoded(std::string_view text, bool plus_is_space);

/// The answer to a request that is not handled: {"error": words}. Closes the connection.
HttpAnswer refusal(int status);
/// The answer of refusal() as bytes, for a connection with an incomplete request.
std::string refusal_bytes(int status);

}  // namespace weft
