// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The sockets of the HTTP service, by libmicrohttpd. One thread accepts connections and checks
// deadlines. The thread of libmicrohttpd serves all connections, computes quick answers and never
// blocks. Worker threads, or Handlers::remote, compute the other answers while the connections are
// suspended. A peer that is slow or sends nothing occupies only its connection, which is closed if
// a new connection exceeds the limit.
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

/// A listening, non-blocking socket.
struct HttpListener {
  int fd = -1;
  std::uint16_t port = 0;
};

/// Listens on a TCP port (0: any free port). Fails with kEnvironment.
Result<HttpListener> listen_for_http(const HttpAddress& address);

class HttpServer {
 public:
  using Done = std::function<void(HttpAnswer answer)>;
  /// Functions that compute answers; several threads call them. `quick` is called first, on the
  /// thread of all connections.
  struct Handlers {
    HttpQuickHandler quick;
    HttpHandler blocking;  // called on a thread that may block
    /// Returns the priority of a request. If this function is empty, all requests are kOrdinary.
    std::function<HttpPriority(const HttpRequest& request)> rank;
    /// If set, replaces `blocking`: does not block; another thread calls `done` later.
    std::function<void(const HttpRequest& request, Done done)> remote{};
  };
  /// Binds and listens. Fails with kEnvironment.
  static Result<std::unique_ptr<HttpServer>> open(const HttpAddress& address, Handlers handlers,
                                                  const HttpLimits& limits = {},
                                                  std::shared_ptr<const HttpTls> tls = nullptr);
  /// A server on an existing listening socket; takes ownership of the socket.
  static std::unique_ptr<HttpServer> on(const HttpListener& listener, Handlers handlers,
                                        const HttpLimits& limits = {},
                                        std::shared_ptr<const HttpTls> tls = nullptr);
  /// Starts the threads; call after the daemon's fork. Fails with kEnvironment.
  Status start();
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const { return port_; }
  /// Sends new data of the streams. Thread-safe.
  void wake();
  /// Replaces the certificate for new connections of an encrypted server. Thread-safe.
  void set_tls(std::shared_ptr<const HttpTls> tls);
  /// Bytes of the bodies that are being sent. A body that several answers share counts once.
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

  // Guards the answers and suspensions of all exchanges, suspended_, tls_ and retired_.
  std::mutex mutex_;
  std::vector<ExchangePtr> suspended_;
  std::shared_ptr<const HttpTls> tls_;
  // Certificates of closed connections, because libmicrohttpd ends the TLS sessions later.
  std::vector<std::pair<std::shared_ptr<const HttpTls>, Time>> retired_;
  std::thread thread_;
};

}  // namespace weft
