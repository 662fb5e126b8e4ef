// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The HTTP server on a loopback socket: answers, limits, and clients that are slow, send nothing or
// send malformed requests.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <condition_variable>

#include "service/http/http_server.h"

namespace weft {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using namespace std::chrono_literals;

constexpr auto kWaitMax = std::chrono::seconds(60);

/// A connection to the server.
class Peer {
 public:
  explicit Peer(std::uint16_t port, int receive_bytes = 0)
      : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_bytes > 0)
      (void)::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    at.sin_port = htons(port);
    EXPECT_EQ(::connect(fd_, reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
  }
  Peer(Peer&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  ~Peer() {
    if (fd_ >= 0) ::close(fd_);
  }

  void send(std::string_view text) { (void)!::send(fd_, text.data(), text.size(), MSG_NOSIGNAL); }
  /// All bytes received until the server closes the connection or kWaitMax passes without data.
  std::string rest() {
    return receive([](const std::string&) { return false; });
  }
  /// All bytes received until they contain `end`, the server closes the connection, or kWaitMax
  /// passes without data.
  std::string until(const std::string& end) {
    return receive([&](const std::string& got) { return got.find(end) != std::string::npos; });
  }
  std::string get(const std::string& path) {
    send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    return rest();
  }
  bool is_closed() {
    pollfd polled{fd_, POLLIN, 0};
    char byte = 0;
    return ::poll(&polled, 1, 0) == 1 && ::recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0;
  }

 private:
  template <class Enough>
  std::string receive(Enough enough) {
    std::string got;
    std::array<char, 65536> piece{};
    pollfd polled{fd_, POLLIN, 0};
    while (!enough(got) && ::poll(&polled, 1, static_cast<int>(kWaitMax / 1ms)) == 1) {
      const ssize_t count = ::recv(fd_, piece.data(), piece.size(), 0);
      if (count <= 0) break;
      got.append(piece.data(), static_cast<std::size_t>(count));
    }
    return got;
  }
  int fd_;
};

/// A stream that sends `text` once and no more data.
class OneText final : public HttpStream {
 public:
  explicit OneText(std::string text) : text_(std::move(text)) {}
  std::string next() override { return std::exchange(text_, {}); }

 private:
  std::string text_;
};

/// Paths: /quick, /large (shared), /own (a copy for each request), /stream, /wait (until
/// release()), /throws, /echo, /cached (304). /health and all other paths are computed.
class Server : public testing::Test {
 protected:
  ~Server() override { release(); }

  void open() {
    HttpServer::Handlers handlers{[this](const HttpRequest& request) { return quick(request); },
                                  [this](const HttpRequest& request) { return blocking(request); },
                                  [](const HttpRequest& request) {
                                    return request.path == "/health" ? HttpPriority::kHealthCheck
                                                                     : HttpPriority::kOrdinary;
                                  }};
    auto server =
        HttpServer::open(*parse_http_address("127.0.0.1:0"), std::move(handlers), limits_);
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    const Status started = server_->start();
    ASSERT_TRUE(started) << started.error().message;
  }
  Peer peer(int receive_bytes = 0) { return Peer(server_->port(), receive_bytes); }
  std::string get(const std::string& path) { return peer().get(path); }
  void release() {
    const std::lock_guard lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }
  void wait_for(const std::function<bool()>& happened) {
    const auto begun = std::chrono::steady_clock::now();
    while (!happened() && std::chrono::steady_clock::now() - begun < kWaitMax)
      std::this_thread::sleep_for(5ms);
    EXPECT_TRUE(happened());
  }
  /// A peer that begins to read `path` and then stops reading.
  Peer slow_reader(const std::string& path = "/large") {
    Peer reader = peer(4096);
    reader.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    (void)reader.until("\r\n\r\n");
    return reader;
  }

  HttpLimits limits_;
  std::shared_ptr<const std::string> large_ =
      std::make_shared<const std::string>(std::size_t{4} << 20, 'x');
  std::atomic<int> waiting_ = 0;

 private:
  static HttpAnswer text(std::string body) {
    HttpAnswer answer;
    answer.type = "text/plain";
    answer.body = std::make_shared<const std::string>(std::move(body));
    return answer;
  }
  std::optional<HttpAnswer> quick(const HttpRequest& request) {
    if (request.path == "/quick") return text("quick\n");
    if (request.path == "/own") return text(*large_);
    if (request.path == "/echo") return text(request.body);
    HttpAnswer answer;
    if (request.path == "/large") {
      answer.body = large_;
      return answer;
    }
    if (request.path == "/cached") {
      answer = text("x");
      answer.headers = {{"Cache-Control", "no-cache"}};
      answer.status = 304;
      return answer;
    }
    if (request.path != "/stream") return std::nullopt;
    answer.stream = std::make_unique<OneText>("data: 1\n\n");
    return answer;
  }
  HttpAnswer blocking(const HttpRequest& request) {
    if (request.path == "/throws") throw std::runtime_error("no memory");
    if (request.path == "/wait") {
      ++waiting_;
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return released_; });
    }
    return text("computed\n");
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool released_ = false;

 protected:
  std::unique_ptr<HttpServer> server_;  // destroyed first
};

TEST_F(Server, AnswersHaveTypeLengthAndCachingHeaders) {
  open();
  const std::string answer = get("/quick");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, HasSubstr("Content-Length: 6\r\n"));
  EXPECT_THAT(answer, HasSubstr("Cache-Control: no-store\r\n"));
  EXPECT_THAT(answer, HasSubstr("X-Content-Type-Options: nosniff\r\n"));
  EXPECT_THAT(answer, HasSubstr("Content-Type: text/plain\r\n"));
  EXPECT_TRUE(answer.ends_with("\r\n\r\nquick\n"));
  EXPECT_THAT(get("/computed"), HasSubstr("computed\n"));
  const std::string cached = get("/cached");
  EXPECT_THAT(cached, StartsWith("HTTP/1.1 304 "));
  EXPECT_THAT(cached, HasSubstr("Cache-Control: no-cache\r\n"));
  EXPECT_THAT(cached, Not(HasSubstr("no-store")));
  EXPECT_THAT(get("/throws"), StartsWith("HTTP/1.1 500 "));
}

TEST_F(Server, AnswersPipelinedRequestsAndBodiesInPieces) {
  open();
  Peer client = peer();
  const std::string post = "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n";
  client.send(post + "hello" + post + "wor");
  EXPECT_THAT(client.until("hello"), HasSubstr("hello"));
  client.send("ld" + std::string("HEAD /quick HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"));
  const std::string rest = client.rest();
  EXPECT_THAT(rest, HasSubstr("world"));
  EXPECT_TRUE(rest.ends_with("\r\n\r\n")) << "HEAD has no body: " << rest;
}

TEST_F(Server, RejectsAmbiguousHeads) {
  open();
  const auto status = [&](const std::string& head) {
    Peer client = peer();
    client.send(head + "\r\n");
    return client.until("\r\n\r\n").substr(0, 12);
  };
  const std::string good = "GET /quick HTTP/1.1\r\nHost: h\r\n";
  EXPECT_EQ(status(good), "HTTP/1.1 200");
  EXPECT_EQ(status("GET /quick HTTP/1.1\r\n"), "HTTP/1.1 200");
  EXPECT_EQ(status("GET /quick HTTP/1.1\nHost: h\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(status("GET /quick HTTP/1.1\r\nHost: h\nX: y\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(status("GET /quick HTTP/1.1\r\nX: y\r\nHost: h\n"), "HTTP/1.1 400");
  EXPECT_EQ(status(good + "X: a\r\n b\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(status(good + "X: a\rb\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(status(good + std::string("X: a\0b\r\nY: c\r\n", 14)), "HTTP/1.1 400");
  EXPECT_EQ(status(std::string("GET /quick\0 HTTP/1.1\r\nHost: h\r\n", 31)), "HTTP/1.1 400");
  EXPECT_EQ(status("GET /quick x HTTP/1.1\r\nHost: h\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(status(good + "Content-Length : 1\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(status(good + "Content-Length: 1\r\nContent-Length: 1\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(status(good + "Transfer-Encoding: chunked\r\n"), "HTTP/1.1 501");
  EXPECT_EQ(status(good + "Content-Length: 65537\r\n"), "HTTP/1.1 413");
  EXPECT_EQ(status(good + "X: " + std::string(kHttpHeadMax, 'y') + "\r\n"), "HTTP/1.1 431");
}

TEST_F(Server, AnswersSlowHeadsAndBodiesWithATimeout) {
  limits_.request_max = 300ms;
  open();
  Peer head = peer();
  head.send("GET /quick HTTP/1.1\r\nX-Half: ");
  Peer body = peer();
  body.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhe");
  EXPECT_THAT(head.rest(), StartsWith("HTTP/1.1 408 "));
  EXPECT_THAT(body.rest(), StartsWith("HTTP/1.1 408 "));
  wait_for([&] { return server_->connection_count() == 0; });
}

TEST_F(Server, ClosesIdleConnections) {
  limits_.idle_max = 300ms;
  open();
  Peer client = peer();
  client.send("GET /quick HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_TRUE(client.rest().ends_with("quick\n"));
  EXPECT_EQ(peer().rest(), "");
}

TEST_F(Server, ClosesAConnectionWithoutProgress) {
  limits_.stuck_max = 300ms;
  open();
  const Peer reader = slow_reader();
  EXPECT_EQ(server_->bytes_under_way(), large_->size());
  wait_for([&] { return server_->bytes_under_way() == 0; });
}

TEST_F(Server, ClosesAConnectionBelowTheMinimumRate) {
  limits_.rate_after = 300ms;
  limits_.rate_min = std::size_t{1} << 40;
  open();
  const Peer reader = slow_reader();
  wait_for([&] { return server_->bytes_under_way() == 0; });
}

TEST_F(Server, ClosesAConnectionAfterTheTotalTime) {
  limits_.answer_max = 300ms;
  open();
  const Peer reader = slow_reader();
  wait_for([&] { return server_->bytes_under_way() == 0; });
}

TEST_F(Server, SharesOneCopyOfAnAnswer) {
  open();
  std::vector<Peer> readers;
  for (int i = 0; i < 10; ++i) readers.push_back(slow_reader());
  EXPECT_EQ(server_->bytes_under_way(), large_->size());
}

TEST_F(Server, RejectsAnswersBeyondTheMemoryLimit) {
  limits_.bodies_max = large_->size() * 2;
  limits_.slow_after = std::chrono::hours(1);
  open();
  std::vector<Peer> readers;
  for (int i = 0; i < 2; ++i) readers.push_back(slow_reader("/own"));
  EXPECT_EQ(server_->bytes_under_way(), 2 * large_->size());
  const std::string refused = get("/own");
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(refused, HasSubstr("Retry-After: 1\r\n"));
  EXPECT_THAT(get("/health"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(Server, ClosesTheSlowestConnectionAtTheMemoryLimit) {
  limits_.bodies_max = large_->size();
  limits_.slow_after = 0ms;
  open();
  const Peer reader = slow_reader("/own");
  wait_for([&] { return get("/own").starts_with("HTTP/1.1 200 "); });
}

TEST_F(Server, RejectsStreamsBeyondTheLimit) {
  limits_.streams_max = 3;
  open();
  std::vector<Peer> streams;
  for (int i = 0; i < 3; ++i) {
    streams.push_back(peer());
    streams.back().send("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n");
    const std::string begun = streams.back().until("data: 1");
    EXPECT_THAT(begun, HasSubstr("Content-Type: text/event-stream\r\n"));
    EXPECT_THAT(begun, HasSubstr("data: 1"));
  }
  EXPECT_THAT(get("/stream"), StartsWith("HTTP/1.1 503 "));
  streams.pop_back();  // the server detects that the peer has closed the connection
  wait_for([&] { return server_->connection_count() == 2; });
  Peer next = peer();
  next.send("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(next.until("data: 1"), HasSubstr("data: 1"));
}

TEST_F(Server, IdlePeersAreReplacedByNewPeers) {
  limits_.connections_max = 8;
  open();
  std::vector<Peer> idle_peers;
  for (int i = 0; i < 40; ++i) {
    idle_peers.push_back(peer());
    if (i % 2 == 1) idle_peers.back().send("GET /quick HTTP/1.1\r\nX-Half: ");
  }
  EXPECT_THAT(get("/quick"), HasSubstr("quick\n"));
  EXPECT_TRUE(idle_peers.front().is_closed());
}

TEST_F(Server, SlowReadersAreReplacedByNewPeers) {
  limits_.connections_max = 8;
  limits_.slow_after = 0ms;
  open();
  std::vector<Peer> readers;
  for (int i = 0; i < 40; ++i) {
    readers.push_back(peer(4096));
    readers.back().send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  EXPECT_THAT(get("/quick"), HasSubstr("quick\n"));
  EXPECT_THAT(get("/health"), HasSubstr("computed\n"));
}

TEST_F(Server, HealthChecksHaveReservedConnectionsAndAThread) {
  limits_.connections_max = 4;
  limits_.reserved = 2;
  open();
  std::vector<Peer> waiting;
  for (int i = 0; i < 4; ++i) {
    waiting.push_back(peer());
    waiting.back().send("GET /wait HTTP/1.1\r\nHost: h\r\n\r\n");
  }
  wait_for([&] { return waiting_ == 3; });  // all threads that compute answers are busy
  EXPECT_THAT(get("/wait"), StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(get("/quick"), HasSubstr("quick\n"));
  EXPECT_THAT(get("/health"), HasSubstr("computed\n"));
  release();
  EXPECT_THAT(waiting.back().until("computed"), HasSubstr("computed\n"));
}

TEST_F(Server, ReplacingPeersKeepsConnectionsForHealthChecks) {
  limits_.connections_max = 4;
  limits_.reserved = 2;
  open();
  std::vector<Peer> peers;
  for (int i = 0; i < 4; ++i) {
    peers.push_back(peer());
    peers.back().send("GET /wait HTTP/1.1\r\nHost: h\r\n\r\n");
  }
  wait_for([&] { return waiting_ == 3; });
  for (int i = 0; i < 4; ++i) {
    peers.push_back(peer());
    peers.push_back(peer());
    peers.back().send("GET /wait HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_THAT(peers.back().until("Unavailable"), StartsWith("HTTP/1.1 503 "));
    EXPECT_THAT(get("/health"), HasSubstr("computed\n"));
  }
}

TEST_F(Server, StopsWithOpenConnections) {
  open();
  std::vector<Peer> peers;
  for (const char* path : {"/large", "/stream", "/quick"}) {
    peers.push_back(peer());
    peers.back().send(std::string("GET ") + path + " HTTP/1.1\r\nHost: h\r\n\r\n");
    (void)peers.back().until("\r\n\r\n");
  }
  peers.push_back(peer());
  server_.reset();
  EXPECT_EQ(peers.back().rest(), "");
}

// Each priority has a separate limit of answers in progress: many requests for /metrics must not
// prevent the answer to a health check.
TEST(HttpConnections, KeepSlotsForEachPriority) {
  HttpConnections connections({.connections_max = 4, .reserved = 8}, false);
  sockaddr_storage loopback{};
  loopback.ss_family = AF_INET;
  reinterpret_cast<sockaddr_in&>(loopback).sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = 1000;  // none of these descriptors is open
  const auto answers = [&](HttpPriority priority) {
    EXPECT_TRUE(connections.admit(++fd, loopback));
    return connections.begin_answer(fd, priority);
  };
  for (const auto& [priority, slots] :
       {std::pair{HttpPriority::kOrdinary, 4}, std::pair{HttpPriority::kPriority, 2},
        std::pair{HttpPriority::kHealthCheck, 2}}) {
    for (int i = 0; i < slots; ++i) EXPECT_TRUE(answers(priority)) << i;
    EXPECT_FALSE(answers(priority));
  }
}

}  // namespace
}  // namespace weft
