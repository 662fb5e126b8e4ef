// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An expanded chassis: the chips, wires and front panel plugs of an IBNL definition, with the
// boards that a configuration selects. Systems of the same type and configuration share a plan.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fabric/formats/ibdm/ibnl.h"

namespace weft {

struct ChipPort {
  std::uint32_t chip = 0;  // index into SystemPlan::chips
  std::uint8_t port = 0;
  bool operator==(const ChipPort&) const = default;
};

struct SystemPlan {
  struct Chip {
    std::string name;  // name within the system: "leaf1/U1"
    std::string device;
    NodeType type = NodeType::kSwitch;
    std::uint8_t ports = 0;
    std::vector<LinkRate> rates;  // by port, as far as stated; index 0 is unused
  };
  std::vector<Chip> chips;
  std::vector<std::pair<ChipPort, ChipPort>> wires;
  std::unordered_map<std::string, ChipPort> plugs;
  std::size_t ports = 0;  // number of ports of all chips
};

/// Limits of expansion, for all systems of a topology together. They are much larger than any
/// subnet, and keep a malicious definition from exhausting the memory.
struct ExpansionBudget {
  static constexpr std::size_t kChipsMax = 1 << 18;
  static constexpr std::size_t kPortsMax = 1 << 22;
  static constexpr std::size_t kStepsMax = 1 << 23;
  std::size_t chips = 0;
  std::size_t ports = 0;
  std::size_t steps = 0;  // number of parts and connections

  /// Adds to the totals. Fails if a total exceeds its limit; the message contains the limit.
  Status spend(std::size_t more_chips, std::size_t more_ports, std::size_t more_steps);
};

/// Modifier by board path ("leaf1", "main/leaf2"): "R" removes the board, "12x" selects the flavour
/// 12x.
using IbnlModifiers = std::map<std::string, std::string>;

/// Fails with kBadInput, "PATH:LINE: ...", on parts, boards and chip ports that do not exist,
/// boards that include themselves, and ports or plugs with several connections, and if the budget
/// is exceeded. Otherwise replaces `warnings_of_plan` by a line for each error that can be ignored,
/// at most Warnings::kMax lines: a plug that no flavour of a board has, or a modifier of a board
/// that does not exist.
Result<SystemPlan> plan_system(const IbnlFile& file, const IbnlModifiers& modifiers,
                               ExpansionBudget& budget, std::vector<std::string>& warnings_of_plan);

}  // namespace weft
