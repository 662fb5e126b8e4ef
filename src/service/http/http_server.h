// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The sockets of the HTTP service. One thread polls all connections without blocking on any, and
// sends the quick answers itself. Low-priority worker threads compute slow answers; one more thread
// handles requests that wait for the subnet manager. A slow or silent peer only occupies one of
// kConnectionsMax connections; if all are in use, the one idle for longest is closed.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "service/http/http_message.h"
#include "service/http_options.h"

namespace weft {

/// Timeouts; tests use shorter ones.
struct HttpLimits {
  std::chrono::milliseconds request_max = std::chrono::seconds(10);  // first to last byte
  std::chrono::milliseconds idle_max = std::chrono::seconds(60);     // between requests
  std::chrono::milliseconds stuck_max = std::chrono::seconds(30);    // peer does not read
  std::chrono::milliseconds penalty = std::chrono::seconds(1);       // delay after a wrong token
};

class HttpServer {
 public:
  static constexpr std::size_t kConnectionsMax = 256;
  static constexpr std::size_t kStreamsMax = 64;                   // connections with a stream
  static constexpr std::size_t kUnsentMax = std::size_t{1} << 18;  // bytes of a stream
  static constexpr unsigned kWorkers = 3;         // one for a study, one for a drawing, one for all
                                                  // other answers
  static constexpr std::size_t kWaitingMax = 64;  // requests that wait for the subnet manager

  /// Called by several threads. `quick` is called first, on the thread of all connections.
  struct Handlers {
    HttpQuickHandler quick;
    HttpHandler thorough;
  };
  /// Binds and listens. Fails with kEnvironment.
  static Result<std::unique_ptr<HttpServer>> open(const HttpAddress& address, Handlers handlers,
                                                  const HttpLimits& limits = {});
  /// Starts the threads; call after the daemon's fork.
  Status start();
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const { return port_; }
  /// Sends new data of the streams. Thread-safe.
  void wake();

 private:
  struct Connection;
  using Time = std::chrono::steady_clock::time_point;
  struct Job {
    std::uint64_t connection = 0;
    std::string head, body;
    std::function<HttpAnswer()> later{};  // computes the answer
  };
  struct Done {
    std::uint64_t connection = 0;
    HttpReply reply;
  };

  HttpServer(Handlers handlers, const HttpLimits& limits, int listener, std::uint16_t port);
  void serve();
  void wait();
  void admit();
  void make_room();
  void take_done();
  void take(Connection& connection, HttpReply reply);
  void read_from(Connection& connection);
  void take_request(Connection& connection);
  void check_timeouts(Connection& connection);
  void feed_stream(Connection& connection);
  void write_to(Connection& connection);
  void work(std::deque<Job>& jobs, std::condition_variable& changed);

  const Handlers handlers_;
  const HttpLimits limits_;
  const int listener_;
  const std::uint16_t port_;
  int wake_[2] = {-1, -1};  // pipe that interrupts the thread's poll
  std::atomic<bool> ending_ = false;
  std::map<std::uint64_t, std::unique_ptr<Connection>> connections_;  // used by serve() only
  std::uint64_t next_id_ = 1;

  std::mutex mutex_;
  std::condition_variable jobs_changed_, waiting_changed_;
  std::deque<Job> jobs_;     // kConnectionsMax at most
  std::deque<Job> waiting_;  // kWaitingMax at most; processed one at a time
  std::vector<Done> done_;
  std::thread thread_;
  std::vector<std::thread> workers_;
};

}  // namespace weft
