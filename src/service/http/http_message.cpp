// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/http_message.h"

#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>

#include "base/letters.h"
#include "base/text.h"

namespace weft {

namespace {

/// Calls `take` with name (in lower case), value and whole line of each header.
template <class Take>
void for_each_header(std::string_view head, Take take) {
  std::size_t at = head.find("\r\n");
  while (at != std::string_view::npos && at + 2 < head.size()) {
    const std::size_t begin = at + 2;
    at = head.find("\r\n", begin);
    const std::string_view line = head.substr(begin, at - begin);
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos)
      take(lower(line.substr(0, colon)), trim(line.substr(colon + 1)), line);
  }
}

/// An httplib stream that reads the request from memory and writes the answer to memory.
class Memory final : public httplib::Stream {
 public:
  explicit Memory(std::string_view request) : request_(request) {}
  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  ssize_t read(char* to, std::size_t size) override {
    const std::size_t count = request_.copy(to, size);
    request_.remove_prefix(count);
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* from, std::size_t size) override {
    written.append(from, size);
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return INVALID_SOCKET; }

  std::string written;

 private:
  std::string_view request_;
};

HttpRequest request_of(const httplib::Request& from, std::string_view body) {
  HttpRequest request;
  request.method = from.method == "HEAD" ? "GET" : from.method;
  request.path = from.path;
  request.query.insert(from.params.begin(), from.params.end());
  request.host = from.get_header_value("Host");
  constexpr std::string_view kBearer = "Bearer ";
  const std::string value = from.get_header_value("Authorization");
  if (value.starts_with(kBearer)) request.token = std::string(trim(value.substr(kBearer.size())));
  if (from.has_header("Last-Event-ID")) request.last_event = from.get_header_value("Last-Event-ID");
  request.have_tag = from.get_header_value("If-None-Match");
  const std::string type = from.get_header_value("Content-Type");
  request.body_type = lower(trim(std::string_view(type).substr(0, type.find(';'))));
  request.body = std::string(body);
  return request;
}

/// Answers one request; used once, because its handler refers to variables on the stack.
class Exchange final : public httplib::Server {
 public:
  HttpReply run(std::string_view head, std::string_view body, const HttpHandler& handler) {
    HttpReply reply;
    set_pre_routing_handler([&](const httplib::Request& request, httplib::Response& response) {
      HttpAnswer answer = handler(request_of(request, body));
      response.status = answer.status;
      for (const auto& [name, value] : answer.headers) response.set_header(name, value);
      if (!response.has_header("Cache-Control")) response.set_header("Cache-Control", "no-store");
      response.set_header("X-Content-Type-Options", "nosniff");
      if (answer.body) response.set_content(*answer.body, answer.type);
      if (request.method != "HEAD") reply.stream = std::move(answer.stream);
      reply.penalty = answer.penalty;
      reply.later = std::move(answer.later);
      return HandlerResponse::Handled;
    });
    Memory memory(head);
    // No compression: processor time of the manager's machine is scarcer than bandwidth.
    (void)process_request(memory, false, reply.close, [](httplib::Request& request) {
      request.headers.erase("Accept-Encoding");
      request.headers.erase("Expect");
    });
    reply.bytes = std::move(memory.written);
    return reply;
  }
};

/// Detects a line feed or carriage return alone: parsers disagree whether it ends a line, which
/// allows request smuggling.
bool has_bare_line_end(std::string_view head) {
  for (std::size_t i = 0; i < head.size(); ++i) {
    if (head[i] == '\n') return true;
    if (head[i] != '\r') continue;
    if (i + 1 == head.size() || head[i + 1] != '\n') return true;
    ++i;
  }
  return false;
}

}  // namespace

HttpFrame find_request(std::string_view bytes) {
  HttpFrame frame;
  const auto refuse = [&](int status) {
    frame.kind = HttpFrame::Kind::kRefused;
    frame.status = status;
    return frame;
  };
  const std::size_t end = bytes.substr(0, kHttpHeadMax).find("\r\n\r\n");
  if (end == std::string_view::npos) return bytes.size() >= kHttpHeadMax ? refuse(431) : frame;
  frame.head = end + 4;
  const std::string_view head = bytes.substr(0, frame.head);
  if (head.find('\0') != std::string_view::npos || has_bare_line_end(head)) return refuse(400);
  int status = 0, lengths = 0;
  for_each_header(head, [&](const std::string& name, std::string_view value, std::string_view) {
    if (name == "transfer-encoding") status = 501;
    if (name != "content-length") return;
    const auto length = parse_number<std::size_t>(value);
    if (!length || ++lengths > 1) status = status == 0 ? 400 : status;
    if (length) frame.body = *length;
  });
  if (status != 0) return refuse(status);
  if (frame.body > kHttpBodyMax) return refuse(413);
  if (bytes.size() - frame.head >= frame.body) frame.kind = HttpFrame::Kind::kWhole;
  return frame;
}

/// Drops Range headers: httplib matches them with a regular expression, which recurses.
HttpReply reply_to(std::string_view head, std::string_view body, const HttpHandler& handler) {
  std::string plain(head.substr(0, head.find("\r\n") + 2));
  for_each_header(head, [&](const std::string& name, std::string_view, std::string_view line) {
    if (name != "range") plain.append(line).append("\r\n");
  });
  plain += "\r\n";
  HttpReply reply = Exchange().run(plain, body, handler);
  if (reply.bytes.empty()) {
    reply.bytes = refusal(400);
    reply.close = true;
  }
  if (reply.stream) {
    reply.bytes =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
        "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n";
  }
  return reply;
}

std::optional<HttpReply> quick_reply_to(std::string_view head, std::string_view body,
                                        const HttpQuickHandler& handler) {
  bool takes_time = false;
  HttpReply reply = reply_to(head, body, [&](const HttpRequest& request) {
    auto answer = handler(request);
    takes_time = !answer;
    return takes_time ? HttpAnswer() : std::move(*answer);
  });
  if (takes_time) return std::nullopt;
  return reply;
}

std::string refusal(int status) {
  constexpr std::pair<int, std::string_view> kWords[] = {
      {400, "Bad Request"},       {408, "Request Timeout"},
      {413, "Payload Too Large"}, {431, "Request Header Fields Too Large"},
      {501, "Not Implemented"},   {503, "Service Unavailable"},
  };
  std::string_view words = "Error";
  for (const auto& [known, text] : kWords)
    if (known == status) words = text;
  const std::string body = fmt::format("{{\"error\":\"{}\"}}\n", words);
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n"
      "Connection: close\r\n\r\n{}",
      status, words, body.size(), body);
}

}  // namespace weft
