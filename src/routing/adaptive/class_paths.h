// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Hop counts of the paths in the tables to the leaders of up to 64 classes of LIDs. Each kind of
// hop count has a row of 64 bytes for each switch, so that one comparison of two rows finds the
// classes for which a neighbor is a possible next hop.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/lfts.h"
#include "routes/next_hops.h"
#include "routing/adaptive/lid_classes.h"

namespace weft {

inline constexpr std::size_t kClassesAtOnce = 64;

/// Which entries stay static on a path with an up hop after a down hop.
enum class StaticEntries : std::uint8_t {
  kFromDownHop,  // all entries from the first such down hop on
  kDownHops      // the entries of down hops before an up hop
};

class ClassPaths {
 public:
  static constexpr std::uint8_t kNoPath = 0xFF;  // also for paths of more than 253 hops
  static constexpr std::uint8_t kFixed = 0xFE;   // never equal to the hops of a neighbor

  using Row = std::span<const std::uint8_t, kClassesAtOnce>;

  explicit ClassPaths(std::uint32_t switches)
      : hops_(switches * kClassesAtOnce, kNoPath),
        down_hops_(hops_),
        up_wanted_(switches * kClassesAtOnce, kFixed),
        down_wanted_(up_wanted_) {}

  /// Hops from a switch to the leader.
  Row hops(SwitchId sw) const { return row(hops_, sw); }
  /// As hops() if the path uses down channels only; else kNoPath.
  Row down_hops(SwitchId sw) const { return row(down_hops_, sw); }
  /// The hop count of neighbors with up channels in the group; kFixed if no up channel may be in
  /// the group. down_wanted() is the same for down channels, and is compared with down_hops().
  Row up_wanted(SwitchId sw) const { return row(up_wanted_, sw); }
  Row down_wanted(SwitchId sw) const { return row(down_wanted_, sw); }

 private:
  friend void find_class_paths(const Fabric&, const Lfts&, const PortMap&,
                               std::span<const std::uint8_t>, StaticEntries,
                               std::span<const LidClass>, ClassPaths&, std::vector<std::uint8_t>&);
  static Row row(const std::vector<std::uint8_t>& all, SwitchId sw) {
    return Row(all.data() + sw.value() * kClassesAtOnce, kClassesAtOnce);
  }

  std::vector<std::uint8_t> hops_, down_hops_, up_wanted_, down_wanted_;
};

/// Overwrites `paths`, which has the same number of switches, with the paths to at most
/// kClassesAtOnce classes of routable LIDs. `up`: by channel, 1 for an up channel. The entries
/// that stay static are fixed, and the entry of the switch of the LIDs, too. Sets turns_up (by
/// channel) to 1 for the down channels of the tables after which the next hop is up.
void find_class_paths(const Fabric& fabric, const Lfts& lfts, const PortMap& map,
                      std::span<const std::uint8_t> up, StaticEntries static_entries,
                      std::span<const LidClass> classes, ClassPaths& paths,
                      std::vector<std::uint8_t>& turns_up);

}  // namespace weft
