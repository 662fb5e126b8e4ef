// The fabric part of `weft check`: what the settings come to on this fabric, and what would be
// better.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/check_configuration.h"
#include "cli/common.h"
#include "congestion/quality.h"
#include "sm/engine_trial.h"

namespace weft::cli {

/// Who belongs to a P_Key on the fabric.
struct PartitionCount {
  std::string name;
  std::uint16_t base = 0;
  std::size_t full = 0, limited = 0;  // endports; members of both kinds are full ones
};

/// One engine by itself, with all options as they are set.
struct EngineCheck {
  std::string engine;
  std::string reason;  // why it does not serve; empty if it does
  unsigned vls = 0, vls_needed = 0;
  Quality quality;
  Trial trial;
  bool serves() const { return reason.empty(); }
};

/// Root switches as updn would find them.
struct Roots {
  std::string how;
  std::vector<SwitchId> switches;
};

struct FabricCheck {
  ChainResult chain;  // as weft sm would route, without tables
  std::optional<Quality> quality;
  unsigned vls_offered = 0;
  std::vector<PartitionCount> partitions;
  Roots roots;
  std::vector<EngineCheck> engines;  // in the order of the table
  std::string best;  // of these, what -R auto takes where it may; empty where none serves
};

/// `compare` names engines, "none", or "all".
Result<FabricCheck> check_fabric(const Fabric& fabric, const CheckedConfiguration& checked,
                                 const std::string& compare, Findings& findings);

}  // namespace weft::cli
