// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What-if studies: routes of another engine on the current fabric, or the failure of a link or
// switch. The engines are pure functions of the published snapshot, so that a study does not affect
// the manager. One study runs at a time, on one low-priority thread.
#pragma once

#include <functional>
#include <mutex>
#include <optional>

#include "service/http/data/json.h"
#include "service/sm_board.h"
#include "whatif/what_if.h"

namespace weft {

/// JSON of all engines and of the active one.
http_data::Json engines_json(const Snapshot& snapshot);

/// Routes the fabric with the engine under the current settings. If the engine fails, the result
/// holds the reason. Fails with kUsage for an unknown engine.
Result<http_data::Json> compare_engine(const Snapshot& snapshot, const Settings& settings,
                                       const std::string& engine);

/// The failure of the link at a port, or of the whole switch without a port. Fails with kUsage.
Result<Failure> failure_at(const Fabric& fabric, Guid node, std::optional<PortNum> port);

/// Simulates the failure with the configured engines.
Result<http_data::Json> what_if(const Snapshot& snapshot, const Settings& settings,
                                const Failure& failure);

class Studies {
 public:
  /// Larger fabrics take too long for the service; use `weft route` and `weft simulate`.
  static constexpr std::uint64_t kEntriesMax = std::uint64_t{1} << 26;  // LIDs times switches

  using Study = std::function<Result<http_data::Json>()>;
  /// Blocks until the study is done. Fails with kTimeout while another study runs, and with
  /// kRejected if the fabric is too large.
  Result<http_data::Json> run(const Fabric& fabric, const Study& study);

 private:
  std::mutex running_;
};

}  // namespace weft
