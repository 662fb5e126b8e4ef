// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The sockets of the HTTP service, by libmicrohttpd. One thread accepts connections and checks
// deadlines. The thread of libmicrohttpd serves all connections and never blocks; it sends the
// quick answers itself. Worker threads compute the other answers, while their connections are
// suspended. A peer that is slow or sends nothing occupies only its connection, which is closed if
// another peer needs the place.
#pragma once

#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "service/http/http_message.h"
#include "service/http/server/http_bodies.h"
#include "service/http/server/http_connections.h"
#include "service/http/server/http_limits.h"
#include "service/http/server/http_workers.h"
#include "service/http_options.h"

struct MHD_Connection;
struct MHD_Daemon;

namespace weft {

/// A listening socket, non-blocking.
struct HttpListener {
  int fd = -1;
  std::uint16_t port = 0;
};

/// Fails with kEnvironment.
Result<HttpListener> listen_for_http(const HttpAddress& address);

class HttpServer {
 public:
  using Done = std::function<void(HttpAnswer answer)>;
  /// Called by several threads. `quick` is called first, on the thread of all connections.
  struct Handlers {
    HttpQuickHandler quick;
    HttpHandler blocking;  // on a thread that may block
    /// Returns the rank of a request; if empty, all requests are ordinary.
    std::function<HttpRank(const HttpRequest& request)> rank;
    /// If set, replaces `blocking`: returns at once; another thread calls `done` later.
    std::function<void(const HttpRequest& request, Done done)> remote{};
  };
  /// Binds and listens. Fails with kEnvironment.
  static Result<std::unique_ptr<HttpServer>> open(const HttpAddress& address, Handlers handlers,
                                                  const HttpLimits& limits = {},
                                                  std::shared_ptr<const HttpTls> tls = nullptr);
  /// Takes ownership of the listening socket.
  static std::unique_ptr<HttpServer> on(const HttpListener& listener, Handlers handlers,
                                        const HttpLimits& limits = {},
                                        std::shared_ptr<const HttpTls> tls = nullptr);
  /// Starts the threads; call after the daemon's fork.
  Status start();
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const { return port_; }
  /// Sends new data of the streams. Thread-safe.
  void wake();
  /// Replaces the certificate for new connections. Thread-safe; only for a server that has one.
  void set_tls(std::shared_ptr<const HttpTls> tls);
  /// Bytes of the bodies that are being sent; a body that several answers share counts once.
  std::size_t bytes_under_way() const { return bodies_.bytes(); }
  std::size_t connection_count() const { return connections_.size(); }

 private:
  struct Exchange;   // a request and its answer
  struct Client;     // the other end of a connection
  struct Callbacks;  // functions that libmicrohttpd calls
  using Time = std::chrono::steady_clock::time_point;
  using ExchangePtr = std::shared_ptr<Exchange>;

  HttpServer(Handlers handlers, const HttpLimits& limits, std::shared_ptr<const HttpTls> tls,
             int listener, std::uint16_t port);
  Status start_daemon();
  void serve();
  void admit();
  void add(int fd, const sockaddr_storage& address, socklen_t size);
  void resume_streams();
  void resume_delayed();
  void started(MHD_Connection* connection, void** slot);
  void closed(MHD_Connection* connection, void** slot);

  bool begin(const ExchangePtr& exchange, const char* method, const char* version);
  bool ask(const ExchangePtr& exchange);
  bool compute(const ExchangePtr& exchange);
  void work(const ExchangePtr& exchange);
  void deliver(const ExchangePtr& exchange, HttpAnswer answer);
  bool queue(const ExchangePtr& exchange, HttpAnswer answer);
  bool queue_stream(const ExchangePtr& exchange);
  void end(const ExchangePtr& exchange);
  void suspend(Exchange& exchange);
  void resume(Exchange& exchange);

  const Handlers handlers_;
  const HttpLimits limits_;
  const int listener_;
  const std::uint16_t port_;
  int wake_[2] = {-1, -1};  // pipe that interrupts the thread's poll
  std::atomic<bool> ending_ = false;
  HttpConnections connections_;
  HttpBodies bodies_;
  HttpWorkers workers_;
  MHD_Daemon* daemon_ = nullptr;

  std::mutex mutex_;  // guards the answers and suspensions of all exchanges
  std::vector<ExchangePtr> suspended_;
  std::shared_ptr<const HttpTls> tls_;
  // Certificates of closed connections: libmicrohttpd ends their sessions a moment later.
  std::vector<std::pair<std::shared_ptr<const HttpTls>, Time>> retired_;
  std::thread thread_;
};

}  // namespace weft
