// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Services of a running subnet manager: console, HTTP, events and plugins, alarms, history,
// systemd. The services read the state of the manager and submit requests, which are executed
// between two steps of the manager.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/result.h"
#include "cli/sm/sm_arguments.h"
#include "service/alarms/alarm_service.h"
#include "service/console/console_server.h"
#include "service/events/event.h"
#include "service/events/event_hub.h"
#include "service/events/event_ring.h"
#include "service/front/front_host.h"
#include "service/history/history_writer.h"
#include "service/http/http_api.h"
#include "service/partition_changes.h"
#include "service/sm_board.h"
#include "service/sm_tally.h"
#include "service/systemd.h"
#include "sm/subnet_manager.h"

namespace weft::cli {

class Operation {
 public:
  /// Opens ports and files and loads plugins, so that configuration errors are reported at the
  /// start. With --once there is neither a console nor an HTTP service.
  static Result<std::unique_ptr<Operation>> prepare(const SmArguments& arguments,
                                                    const Settings& settings);
  /// Starts the starter of the HTTP process, if there is an HTTP service. Call after the daemon's
  /// fork, and before devices are opened and the sandbox is complete. `restricted`: the sandbox is
  /// configured. Fails with kEnvironment.
  Status start_processes(bool restricted);
  /// Starts the threads of the services; call after start_processes(). Fails if a plugin fails to
  /// start.
  Status start();

  /// Called after each step of the manager.
  void stepped(SubnetManager& sm);
  /// Called before a reload (SIGHUP). reloaded() is called after the reload, and after a request
  /// that changed the settings.
  void reloading() {
    systemd_.reloading();
    is_reloading_ = true;
  }
  void reloaded(const Settings& settings, unsigned log_flags);
  void reopen();
  /// Publishes error counter increases as events; may be called from any thread.
  void errors_rose(const std::vector<ErrorRise>& rises);
  /// The alarms of ports, which accept readings from any thread.
  AlarmService& alarms() { return alarms_; }
  void stopping() { systemd_.stopping(); }
  void set_log_flags(unsigned flags) { log_flags_ = flags; }

  /// The published state of the manager, and the handlers of calls from the services beside the
  /// manager; each handler is removed before its service ends.
  SmBoard& board() { return board_; }
  PartitionChanges& partition_changes() { return partition_changes_; }

  /// Called for requests that change settings: the priority and the log flags.
  std::function<void(const SmRequest&)> on_request;

 private:
  Operation(const Settings& settings, std::vector<std::unique_ptr<EventSink>> sinks,
            std::shared_ptr<EventRing> ring);
  /// Reads counters through the board; null if no history is configured.
  std::unique_ptr<HistoryWriter> history_of(const Settings& settings);
  Status open_alarms(const Settings& settings);
  Status open_console(const SmArguments& arguments, const Settings& settings);
  Status open_http(HttpOptions options, const std::string& audit_log);
  void reload_http(const Settings& settings);
  void carry_out(SubnetManager& sm, const SmRequest& request);
  void publish(const SubnetManager& sm);

  SmBoard board_;
  PartitionChanges partition_changes_;
  std::shared_ptr<EventRing> ring_;  // recent events for the HTTP service
  std::shared_ptr<AuditLog> audit_;
  std::unique_ptr<HttpApi> http_api_;
  std::unique_ptr<front::FrontHost> http_;  // null: disabled
  std::optional<front::Starter> starter_;   // empty after start()
  std::unique_ptr<HistoryWriter> history_;  // null: disabled
  EventHub events_;                         // has a thread that uses http_, so http_ ends later
  AlarmService alarms_;                     // publishes its changes as events
  EventSource source_;
  Systemd systemd_;
  SmTallyCollector tallying_;
  std::shared_ptr<const PortHealth::Ports> unhealthy_ports_ =
      std::make_shared<const PortHealth::Ports>();  // last published
  std::unique_ptr<ConsoleServer> console_;          // null: disabled
  RealClock clock_;
  TimeNs next_publication_{0};
  SmState published_state_ = SmState::kNotActive;
  std::uint64_t published_sweeps_ = 0;
  std::uint64_t published_updates_ = 0;
  unsigned log_flags_ = 0;
  bool is_reloading_ = false;
};

}  // namespace weft::cli
