// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The part of the HTTP process between the HTTP server and the channel to the manager. Answers
// requests for page files and for /healthz, refuses invalid or excess requests and requests while
// the manager does not respond, and sends all other requests to the manager.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "service/events/event_ring.h"
#include "service/front/front_channel.h"
#include "service/front/front_wire.h"
#include "service/http/http_page.h"
#include "service/http/http_server.h"

namespace weft::front {

struct ServiceLimits {
  std::chrono::milliseconds silence_max = std::chrono::seconds(15);  // time between two messages
  std::chrono::milliseconds answer_max = std::chrono::minutes(10);   // time until the response
  std::size_t waiting_max = 512;                                     // requests without response
};

class FrontService {
 public:
  /// `channel` must outlive this object.
  FrontService(Channel& channel, const FrontSetup& setup, const ServiceLimits& limits = {});
  /// Starts the HTTP server on a listening socket. Fails with kEnvironment.
  Status start(const HttpListener& listener, std::shared_ptr<const HttpTls> tls);
  /// Exchanges messages with the manager until the manager closes the channel or sends an invalid
  /// message.
  void run();

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Waiting {
    HttpServer::Done done;
    Time since;
  };

  std::optional<HttpAnswer> quick_answer(const HttpRequest& request) const;
  bool is_page(const HttpRequest& request) const;
  HttpAnswer health() const;
  bool is_manager_silent() const;
  void ask_manager(const HttpRequest& request, HttpServer::Done done);
  void send(Kind kind, std::string bytes);
  bool flush();
  bool take(Message message);
  bool take_answer(Message& message);
  bool take_events(const Message& message);
  bool take_tls(const Message& message);
  void check_deadlines();

  Channel& channel_;
  const ServiceLimits limits_;
  const bool loopback_;
  PageFiles page_;
  const std::shared_ptr<EventRing> ring_ = std::make_shared<EventRing>();
  std::atomic<std::int64_t> last_message_ns_;  // last message of the manager, steady clock
  Descriptor wake_;                            // interrupts the wait for messages of the manager

  std::mutex mutex_;  // guards waiting_, last_id_ and unsent_
  std::map<std::uint64_t, Waiting> waiting_;
  std::uint64_t last_id_ = 0;
  std::deque<std::pair<Kind, std::string>> unsent_;

  /// Bodies in use, by file id, so that responses with the same body share one copy.
  std::map<std::uint64_t, std::weak_ptr<const std::string>> bodies_;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace weft::front
