// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Stores the requested groups of each switch in its AR tables, up to the capacity of the switch.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "fabric/fabric.h"
#include "routes/adaptive.h"
#include "routes/routes.h"
#include "routing/option_groups.h"

namespace weft {

/// The different masks of one switch.
class SwitchMasks {
 public:
  static constexpr std::uint16_t kNone = 0xFFFF;

  /// The number of a mask; a new mask gets the next number.
  std::uint16_t number(const PortMask& mask) {
    return index_.try_emplace(mask, static_cast<std::uint16_t>(index_.size())).first->second;
  }
  /// The masks by number.
  std::vector<PortMask> masks() const;

 private:
  std::unordered_map<PortMask, std::uint16_t> index_;
};

/// Masks of one switch, and for each LID the number of its mask; SwitchMasks::kNone: the entry is
/// static.
struct WantedGroups {
  std::vector<PortMask> masks;
  std::vector<std::uint16_t> of_lid;  // a whole number of blocks of kLftBlock LIDs
};

/// Least number of ports of a group at a switch: 2, or 1 if the switch sends FRNs, which exist only
/// for LIDs with a group.
std::size_t least_ports(const AdaptiveOptions& options, SwitchId sw);

/// Sets routes.adaptive. `wanted` is called for each switch with capacity for groups, in any order
/// and by several threads. If there are more groups than the capacity, groups of several ports have
/// precedence over groups of one port, then groups with the most LIDs, then the group of the lowest
/// LID; a note has the number of switches that omit groups, the groups that the first of these
/// switches stores, and the number of entries that stay static. Does nothing if the options disable
/// adaptive routing.
void store_groups(const Fabric& fabric, const GroupOptions& options,
                  const std::function<WantedGroups(SwitchId)>& wanted, Routes& routes);

/// Stores groups in a private table of routes.adaptive, up to the capacity that the groups in the
/// other tables of a switch leave. `wanted` is called for each switch that uses any private
/// table, in order.
void store_private_groups(const Fabric& fabric, const GroupOptions& options, unsigned table,
                          const std::function<WantedGroups(SwitchId)>& wanted, Routes& routes);

}  // namespace weft
