// What surrounds a running subnet manager: the console, HTTP, events and plugins, systemd. All of
// it looks at the manager between two of its steps, and asks it for things then.
#pragma once

#include <functional>
#include <memory>

#include "base/clock.h"
#include "base/result.h"
#include "cli/sm_arguments.h"
#include "service/console_server.h"
#include "service/event.h"
#include "service/event_hub.h"
#include "service/event_ring.h"
#include "service/history_writer.h"
#include "service/http_api.h"
#include "service/http_server.h"
#include "service/partition_changes.h"
#include "service/sm_board.h"
#include "service/sm_tally.h"
#include "service/systemd.h"
#include "sm/subnet_manager.h"

namespace weft::cli {

class Operation {
 public:
  /// Takes ports, opens files and finds plugins: all that an administrator can get wrong. With
  /// --once there are no console and no HTTP service.
  static Result<std::unique_ptr<Operation>> prepare(const SmArguments& arguments,
                                                    const Settings& settings);
  /// Threads begin here: not before a fork. Fails where a plugin refuses.
  Status start();

  /// After each step of the manager.
  void stepped(SubnetManager& sm);
  /// On SIGHUP, before and after.
  void reloading() { systemd_.reloading(); }
  void reloaded(const Settings& settings, unsigned log_flags);
  void reopen() { events_.reopen(); }
  /// From any thread: error counters that rose become events.
  void errors_rose(const std::vector<ErrorRise>& rises);
  void stopping() { systemd_.stopping(); }
  void set_log_flags(unsigned flags) { log_flags_ = flags; }

  /// Where those who work beside the manager can be asked; not beyond their end.
  SmBoard& board() { return board_; }
  PartitionChanges& partition_changes() { return partition_changes_; }

  /// Called for a request that is about more than the manager.
  std::function<void(const SmRequest&)> on_request;

 private:
  Operation(const Settings& settings, std::vector<std::unique_ptr<EventSink>> sinks,
            std::shared_ptr<EventRing> ring);
  /// Asks the board for counters; null where no history is wanted.
  std::unique_ptr<HistoryWriter> history_of(const Settings& settings);
  Status open_console(const SmArguments& arguments, const Settings& settings);
  Status open_http(HttpOptions options);
  void carry_out(SubnetManager& sm, const SmRequest& request);
  void show(const SubnetManager& sm);

  SmBoard board_;
  PartitionChanges partition_changes_;
  std::shared_ptr<EventRing> ring_;  // of the HTTP service
  std::unique_ptr<HttpApi> http_api_;
  std::unique_ptr<HttpServer> http_;        // null: there is none
  std::unique_ptr<HistoryWriter> history_;  // null: there is none
  EventHub events_;  // its thread tells the server of news, and ends before it
  EventSource source_;
  Systemd systemd_;
  SmTallying tallying_;
  std::unique_ptr<ConsoleServer> console_;  // null: there is none
  RealClock clock_;
  TimeNs next_show_{0};
  SmState shown_state_ = SmState::kNotActive;
  std::uint64_t shown_sweeps_ = 0;
  std::uint64_t shown_regroupings_ = 0;
  unsigned log_flags_ = 0;
};

}  // namespace weft::cli
