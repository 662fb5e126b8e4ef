// The sockets of the HTTP service: one thread waits for all of them and never for one of them. It
// sends answers that are at hand; other low-priority threads make those that take time, and those
// that wait for the manager have one of their own. Whatever a peer does or fails to do costs others
// at most its place among kConnectionsMax, and who has kept that longest without a request loses
// it.
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
#include "service/http_message.h"
#include "service/http_options.h"

namespace weft {

/// Times that tests shorten.
struct HttpLimits {
  std::chrono::milliseconds request_max = std::chrono::seconds(10);  // from its first byte
  std::chrono::milliseconds idle_max = std::chrono::seconds(60);     // between requests
  std::chrono::milliseconds stuck_max = std::chrono::seconds(30);    // it takes no answer
  std::chrono::milliseconds penalty = std::chrono::seconds(1);       // for a wrong token
};

class HttpServer {
 public:
  static constexpr std::size_t kConnectionsMax = 256;
  static constexpr std::size_t kStreamsMax = 64;                   // of these
  static constexpr std::size_t kUnsentMax = std::size_t{1} << 18;  // bytes of a stream
  static constexpr unsigned kWorkers = 3;  // one study and one drawing at a time, and all the rest
  static constexpr std::size_t kWaitingMax = 64;  // requests whose answers wait for the manager

  /// Called by several threads. `quick` is asked first, and holds up all connections.
  struct Handlers {
    HttpQuickHandler quick;
    HttpHandler thorough;
  };
  /// Takes the port. Fails with kEnvironment.
  static Result<std::unique_ptr<HttpServer>> open(const HttpAddress& address, Handlers handlers,
                                                  const HttpLimits& limits = {});
  /// From here on requests are answered; not to be called before a fork.
  Status start();
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const { return port_; }
  /// Streams have something to send. From any thread.
  void wake();

 private:
  struct Connection;
  using Time = std::chrono::steady_clock::time_point;
  struct Job {
    std::uint64_t connection = 0;
    std::string head, body;
    std::function<HttpAnswer()> later{};  // makes the answer
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
  void look_for_request(Connection& connection);
  void look_at_clock(Connection& connection);
  void feed_stream(Connection& connection);
  void write_to(Connection& connection);
  void work(std::deque<Job>& jobs, std::condition_variable& asked);

  const Handlers handlers_;
  const HttpLimits limits_;
  const int listener_;
  const std::uint16_t port_;
  int wake_[2] = {-1, -1};  // a pipe that ends the thread's wait
  std::atomic<bool> ending_ = false;
  std::map<std::uint64_t, std::unique_ptr<Connection>> connections_;  // of serve()'s thread
  std::uint64_t next_id_ = 1;

  std::mutex mutex_;
  std::condition_variable asked_, asked_to_wait_;
  std::deque<Job> jobs_;     // kConnectionsMax at most
  std::deque<Job> waiting_;  // kWaitingMax at most; one after the other
  std::vector<Done> done_;
  std::thread thread_;
  std::vector<std::thread> workers_;
};

}  // namespace weft
