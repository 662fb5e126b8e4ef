// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The fabric part of `weft check`: evaluates the settings on a fabric (routes, partitions, roots,
// devices) and compares the routing engines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/check/check_configuration.h"
#include "cli/check/check_devices.h"
#include "cli/common.h"
#include "congestion/quality/quality.h"
#include "policy/engine_trial.h"

namespace weft::cli {

/// Number of members of a partition on the fabric.
struct PartitionCount {
  std::string name;
  std::uint16_t base = 0;
  std::size_t full = 0, limited = 0;  // endports; membership "both" counts as full
};

/// Result of one engine without fallbacks, with the options of the settings.
struct EngineCheck {
  std::string engine;
  std::string reason;  // reason why the engine fails; empty if it succeeds
  unsigned vls = 0, vls_needed = 0;
  Quality quality;
  Trial trial;
  bool serves() const { return reason.empty(); }
};

/// Root switches as detected by updn.
struct Roots {
  std::string how;  // the different reasons of the connected parts, separated by "; "
  std::vector<SwitchId> switches;
};

struct FabricCheck {
  ChainResult chain;  // the routes that weft sm would compute
  std::optional<Quality> quality;
  unsigned vls_offered = 0;
  std::vector<PartitionCount> partitions;
  Roots roots;
  std::vector<DeviceCount> devices;  // in the order of count_devices()
  /// In the order of `compare`; for "all", the engines of the engine table, then other engines of
  /// -R.
  std::vector<EngineCheck> engines;
  /// Engine preferred by the rules of -R auto, among its candidates, the engines of -R and the
  /// engines of a list `compare`; empty if all of these fail, or for "none".
  std::string best;
};

/// `compare`: a list of engines, "none", or "all". Fails only if this list has an unknown engine or
/// an engine file that cannot be loaded; all else is added to `findings`.
Result<FabricCheck> check_fabric(const Fabric& fabric, const CheckedConfiguration& checked,
                                 const std::string& compare, Findings& findings);

}  // namespace weft::cli
