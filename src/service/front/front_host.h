// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The manager's end of the channel to the HTTP process. Sends the listening socket and the page.
// Answers requests by the HTTP API, which checks the token of each request. Kills the HTTP process
// if the process sends or reads no messages for too long, or sends an invalid message or too many
// requests. Runs on separate threads, not on the thread of the subnet manager.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "service/events/event_ring.h"
#include "service/front/front_bodies.h"
#include "service/front/front_channel.h"
#include "service/front/front_starter.h"
#include "service/front/front_wire.h"
#include "service/http/http_api.h"
#include "service/http/http_server.h"
#include "service/http/server/http_workers.h"

namespace weft::front {

struct HostLimits {
  std::chrono::milliseconds silence_max = std::chrono::seconds(30);  // time between two messages
  std::chrono::milliseconds send_max = std::chrono::seconds(5);      // time until a message is read
  std::size_t requests_max = 1024;                                   // requests without response
  std::size_t answers_max = 272;  // requests that wait for a thread
  std::size_t changes_max = 64;   // requests that wait for the manager
};

class FrontHost {
 public:
  /// Takes ownership of the listening socket. `api` must outlive this object. `ring`: the events to
  /// send; may be null.
  FrontHost(HttpApi& api, std::shared_ptr<const EventRing> ring, const HttpListener& listener,
            FrontSetup setup, const HostLimits& limits = {});
  ~FrontHost();
  FrontHost(const FrontHost&) = delete;
  FrontHost& operator=(const FrontHost&) = delete;

  /// Starts the threads. `starter` is the result of start_starter(). Always succeeds.
  Status start(Starter starter);
  std::uint16_t port() const { return port_; }
  /// Starts the sending of new events. Thread-safe; does not block.
  void wake();
  /// Replaces the certificate of an encrypted service. Thread-safe; does not block.
  void set_tls(const HttpTlsTexts& texts);

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Peer;  // a running HTTP process
  using PeerPtr = std::shared_ptr<Peer>;

  void serve();
  void take_control();
  void connect_peer(Message& message);
  void take_messages();
  void take(Message message);
  void take_request(const std::string& bytes);
  void compute(const PeerPtr& peer, std::uint64_t id, const HttpRequest& request);
  void reply(const PeerPtr& peer, std::uint64_t id, HttpAnswer answer);
  bool send(Kind kind, std::string_view bytes, std::span<const int> descriptors = {});
  void send_events();
  void send_tls();
  void check_peer();
  void kill_peer(std::string_view why);
  void end_peer();
  void disconnect_peer();
  void drop_peer();

  HttpApi& api_;
  const std::shared_ptr<const EventRing> ring_;
  const Descriptor listener_;
  const std::uint16_t port_;
  const HostLimits limits_;
  std::mutex setup_mutex_;
  FrontSetup setup_;
  std::atomic<bool> has_new_tls_ = false;

  Descriptor wake_;  // interrupts the wait for messages
  std::atomic<bool> ending_ = false;
  pid_t starter_pid_ = -1;
  std::unique_ptr<Channel> control_;  // null: the starter has ended
  PeerPtr peer_;                      // null: no HTTP process
  std::optional<Time> kill_at_;       // when to kill a process that has closed the channel
  BodyFiles bodies_;
  HttpWorkers workers_;
  std::thread thread_;
};

}  // namespace weft::front
