// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What-if studies: routes of another engine on the current fabric, or the failure of a link or
// switch. A study reads only the published snapshot and does not affect the manager. Only one study
// runs at a time, on a thread of low priority.
#pragma once

#include <functional>
#include <mutex>
#include <optional>

#include "service/http/data/json.h"
#include "service/sm_board.h"
#include "whatif/what_if.h"

namespace weft {

/// JSON of all engines, and of the name of the active engine.
http_data::Json engines_json(const Snapshot& snapshot);

/// Routes the fabric with the engine and the current settings. Returns JSON of the routes, or of
/// the reason if the engine fails. Fails with kUsage for an unknown engine, and as
/// routing_inputs().
Result<http_data::Json> compare_engine(const Snapshot& snapshot, const Settings& settings,
                                       const std::string& engine);

/// The failure of the link at a port, or of the switch if there is no port. Fails with kUsage if
/// there is no such switch, or no other switch at the port.
Result<Failure> failure_at(const Fabric& fabric, Guid node, std::optional<PortNum> port);

/// Simulates the failure with the configured engines; returns JSON of the losses and new routes.
/// Fails as engine_choice() and routing_inputs().
Result<http_data::Json> what_if(const Snapshot& snapshot, const Settings& settings,
                                const Failure& failure);

class Studies {
 public:
  /// Limit of the size of a fabric. Studies of larger fabrics take too long.
  static constexpr std::uint64_t kEntriesMax = std::uint64_t{1} << 26;  // LIDs times switches

  using Study = std::function<Result<http_data::Json>()>;
  /// Runs the study and returns its result. Fails with kTimeout while another study runs, with
  /// kRejected if the fabric is too large, and as the study.
  Result<http_data::Json> run(const Fabric& fabric, const Study& study);

 private:
  std::mutex running_;
};

}  // namespace weft
