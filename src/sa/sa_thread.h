// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Runs the subnet administration on its own thread, so that sweeps and answers do not delay each
// other. The receiving thread can answer quick requests itself, because waking another thread takes
// longer than such an answer.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "sa/server.h"

namespace weft {

class SaThread {
 public:
  /// Serves `transport` until this object is destroyed.
  SaThread(SaOptions options, GmpTransport& transport, const Clock& clock);
  ~SaThread();
  SaThread(const SaThread&) = delete;
  SaThread& operator=(const SaThread&) = delete;

  /// As SaServer::publish(); takes effect in the next iteration of the SA thread, and until then
  /// answer_at_once() uses the earlier subnet. After null, answer_at_once() returns false at once,
  /// because this manager is not master any more. The calling thread indexes the subnet, and frees
  /// the memory of earlier views. Call from one thread only, the same as for set_options().
  void publish(std::shared_ptr<const Snapshot> snapshot);
  void set_options(SaOptions options);
  void on_trap(const Notice& notice);
  /// As SaServer::inherit(); takes effect before views that are published later.
  void inherit(std::shared_ptr<const sa::Saved> saved);
  /// `take` receives all registrations after changes, at the rate of
  /// SaServer::take_registrations(), on the SA thread. Call before the first view is published.
  void replicate(std::function<void(sa::Registrations)> take);
  /// As SaServer::hold_answers() and SaServer::confirm(). Both functions are thread-safe.
  void hold_answers(TimeNs most);
  void confirm(std::uint64_t version);
  /// Answers a Get of the path between two ports on the calling thread if the SA thread is idle.
  /// Otherwise returns false and does nothing; the request must then be queued, as by accept().
  /// Call from one thread only.
  bool answer_at_once(const Gmp& gmp);
  /// Answers the request at once or queues it; drops it if the share of its port in the queue is
  /// used up.
  void accept(const Gmp& gmp);
  /// Changes of the multicast groups since the last call; empty if there are none.
  std::optional<GroupChanges> take_multicast_groups();
  /// All alias GUIDs if they changed since the last call.
  std::optional<AliasGuids> take_alias_guids();
  std::shared_ptr<const sa::Meter> meter() const { return server_.meter(); }
  /// Calls `body` on the SA thread, at the start of an iteration of its loop.
  void post(std::function<void(const SaServer&)> body);
  /// Requests the text of opensm-sa.dump, which take_dump() returns once it is ready.
  void request_dump();
  std::optional<std::string> take_dump();

 private:
  static constexpr std::size_t kTrapsMax = 4096;  // waiting traps; further traps are lost

  void run();
  void apply_updates();
  void publish_changes();

  GmpTransport& transport_;
  const Clock& clock_;
  SaOptions newest_options_;                   // used only by the thread that publishes
  std::shared_ptr<const SaView> newest_view_;  // used only by the thread that publishes
  std::mutex serving_;
  SaServer server_;                                   // guarded by serving_
  std::function<void(sa::Registrations)> replicate_;  // called on the SA thread

  std::mutex mutex_;
  std::optional<std::shared_ptr<SaView>> published_;  // not processed yet
  std::vector<std::shared_ptr<const SaView>> replaced_;
  std::optional<SaOptions> options_;
  std::optional<std::shared_ptr<const sa::Saved>> inherited_;
  std::function<void(sa::Registrations)> take_registrations_;
  std::optional<TimeNs> hold_most_;
  std::uint64_t confirmed_ = 0;
  std::vector<Notice> traps_;
  std::vector<std::function<void(const SaServer&)>> posted_;
  bool dump_wanted_ = false;
  std::optional<GroupChanges> groups_;  // until the next take_multicast_groups()
  std::optional<AliasGuids> aliases_;
  std::optional<std::string> dump_;
  /// The view of `server_` is valid: set with mutex_ and serving_ held, cleared with mutex_ held.
  std::atomic<bool> has_subnet_ = false;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace weft
