// HTTP as bytes: where a request ends, what it says, and what an answer looks like on the wire.
// cpp-httplib reads requests and writes answers. Sockets are not its business here: it gives each
// connection a thread until it is done, so that a few peers who say nothing would hold all of them.
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
  std::string method;                             // "GET" also where HEAD was said
  std::string path;                               // decoded, without the query
  std::multimap<std::string, std::string> query;  // decoded
  std::string token;                              // of "Authorization: Bearer", or empty
  std::string host;                               // as the request has it
  std::optional<std::string> last_event;          // Last-Event-ID
  std::string have_tag;                           // If-None-Match
  std::string body_type;                          // Content-Type without parameters
  std::string body;

  const std::string* find(const std::string& name) const {
    const auto found = query.find(name);
    return found == query.end() ? nullptr : &found->second;
  }
};

/// What goes on behind the head of an answer until the peer leaves. Used by one thread.
class HttpStream {
 public:
  virtual ~HttpStream() = default;
  /// What there is to send now; empty: nothing.
  virtual std::string next() = 0;
};

struct HttpAnswer {
  int status = 200;
  std::string type = "application/json";
  std::shared_ptr<const std::string> body;  // may be null, and shared with other answers
  std::vector<std::pair<std::string, std::string>> headers{};
  std::unique_ptr<HttpStream> stream{};  // instead of a body
  bool penalty = false;                  // sent after a while: a wrong token
  /// Instead of all the above: makes the answer where waiting holds up no other request.
  std::function<HttpAnswer()> later{};
};

using HttpHandler = std::function<HttpAnswer(const HttpRequest& request)>;
/// Nothing: the answer would take time, and is not begun.
using HttpQuickHandler = std::function<std::optional<HttpAnswer>(const HttpRequest& request)>;

inline constexpr std::size_t kHttpHeadMax = 8192;
inline constexpr std::size_t kHttpBodyMax = 65536;

/// The first request in what has come so far.
struct HttpFrame {
  enum class Kind { kPartial, kWhole, kRefused };
  Kind kind = Kind::kPartial;
  std::size_t head = 0;  // bytes
  std::size_t body = 0;
  int status = 0;  // why it is refused
};
HttpFrame find_request(std::string_view bytes);

/// What goes out for a request, or the beginning of it.
struct HttpReply {
  std::string bytes;
  bool close = false;  // the peer wants no other
  std::unique_ptr<HttpStream> stream;
  bool penalty = false;
  std::function<HttpAnswer()> later;  // to be replied to by this, in place of `bytes`
};
HttpReply reply_to(std::string_view head, std::string_view body, const HttpHandler& handler);
/// Nothing where `handler` gives nothing.
std::optional<HttpReply> quick_reply_to(std::string_view head, std::string_view body,
                                        const HttpQuickHandler& handler);
/// Without a handler: what is no request of ours.
std::string refusal(int status);

}  // namespace weft
