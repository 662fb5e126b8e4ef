// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// TREE groups, which are computed for classes of LIDs, compared with the definition, which is
// evaluated LID by LID.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "routing/adaptive/groups.h"
#include "routing/adaptive/lid_classes.h"
#include "routing/adaptive/turns_up.h"
#include "routing/shapes/ranks.h"
#include "routing/updn.h"
#include "support/fabric_of.h"

namespace weft {
namespace {

/// The channels on the path from a switch to the switch of the LID; nullopt if the LID is
/// unreachable.
using ChannelPath = std::optional<std::vector<ChannelId>>;

ChannelPath path_of(const Fabric& fabric, const Lfts& lfts, SwitchId from, SwitchId to, Lid lid) {
  std::vector<ChannelId> path;
  for (SwitchId at = from; at != to; at = fabric.channel(path.back()).to) {
    const ChannelId out = fabric.channel_at(at, lfts.port(at, lid));
    if (out == kNoChannel || path.size() > fabric.switch_count()) return std::nullopt;
    path.push_back(out);
  }
  return path;
}

/// The entries that stay static on a path with an up hop after a down hop.
enum class Fixed { kDownHops, kFromDownHop };

class Definition {
 public:
  Definition(const Fabric& fabric, const Lfts& lfts, std::span<const std::uint8_t> up,
             std::span<const std::uint64_t> weights, Lid lid, Fixed fixed)
      : fabric_(fabric), up_(up), weights_(weights) {
    const SwitchId to = fabric.endport(fabric.endport_of(lid)).sw;
    fixed_.assign(fabric.switch_count(), false);
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
      paths_.push_back(path_of(fabric, lfts, SwitchId(s), to, lid));
    for (const ChannelPath& path : paths_) {
      if (!path || path->size() < 2 || goes_up(path->front()) || only_down(*path, 1)) continue;
      const auto hops = std::span(*path).first(fixed == Fixed::kDownHops ? 1 : path->size());
      for (const ChannelId channel : hops) fixed_[fabric.channel(channel).from.value()] = true;
      if (goes_up((*path)[1])) turns_up.push_back(path->front());
    }
  }

  std::vector<ChannelId> turns_up;  // down channels with an up channel as next hop

  /// The ports of the group; none if the entry is static.
  PortMask group(SwitchId sw) const {
    PortMask ports;
    const ChannelPath& own = paths_[sw.value()];
    if (!own || own->empty() || fixed_[sw.value()]) return ports;
    ChannelId channel = fabric_.first_channel(sw);
    for (const Channel& hop : fabric_.channels_from(sw)) {
      const ChannelPath& there = paths_[hop.to.value()];
      const bool is_member =
          there && there->size() + 1 == own->size() && goes_up(channel) == goes_up(own->front()) &&
          (goes_up(channel) || only_down(*there, 0)) &&
          (weights_.empty() || weights_[channel.value()] <= weights_[own->front().value()]);
      if (is_member) ports.set(hop.from_port.value());
      channel = ChannelId(channel.value() + 1);
    }
    return ports.count() > 1 ? ports : PortMask();
  }

 private:
  bool goes_up(ChannelId channel) const { return up_[channel.value()] != 0; }
  bool only_down(const std::vector<ChannelId>& path, std::size_t begin) const {
    for (std::size_t i = begin; i < path.size(); ++i)
      if (goes_up(path[i])) return false;
    return true;
  }

  const Fabric& fabric_;
  std::span<const std::uint8_t> up_;
  std::span<const std::uint64_t> weights_;
  std::vector<ChannelPath> paths_;  // by switch
  std::vector<bool> fixed_;
};

/// Changes random entries of the tables, so that the LIDs of one switch have different paths, and
/// some LIDs are unreachable.
void damage(const Fabric& fabric, unsigned entries, Rng& rng, Lfts& lfts) {
  for (unsigned i = 0; i < entries; ++i) {
    const SwitchId sw(static_cast<std::uint32_t>(rng.below(fabric.switch_count())));
    const Lid lid(static_cast<std::uint16_t>(1 + rng.below(fabric.lid_top().value())));
    const auto channels = fabric.channels_from(sw);
    if (!channels.empty()) lfts.set(sw, lid, channels[rng.below(channels.size())].from_port);
  }
}

void compare(const Fabric& fabric, const Routes& routes, std::span<const std::uint8_t> up,
             std::span<const std::uint64_t> weights, Fixed fixed, const std::string& place) {
  for (unsigned value = 1; value <= fabric.lid_top().value(); ++value) {
    const Lid lid(static_cast<std::uint16_t>(value));
    const EndportId owner = fabric.endport_of(lid);
    if (owner == kNoEndport || fabric.endport(owner).sw == kNoSwitch) continue;
    const Endport& target = fabric.endport(owner);
    const bool delivered = routes.lfts.port(target.sw, lid) == target.sw_port;
    const Definition definition(fabric, routes.lfts, up, weights, lid, fixed);
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
      const PortMask* const found = routes.adaptive->group_of(SwitchId(s), lid);
      const PortMask expected = delivered ? definition.group(SwitchId(s)) : PortMask();
      ASSERT_EQ(found == nullptr ? PortMask() : *found, expected)
          << place << ": switch " << s << ", LID " << value;
    }
  }
}

/// Whether the turns of all paths could close a cycle.
bool may_close_a_cycle(const Fabric& fabric, const Lfts& lfts, std::span<const std::uint8_t> up) {
  std::vector<std::uint8_t> turns_up(fabric.channel_count(), 0);
  for (const Lid lid : routable_lids(fabric, lfts))
    for (const ChannelId channel : Definition(fabric, lfts, up, {}, lid, Fixed::kDownHops).turns_up)
      turns_up[channel.value()] = 1;
  return !all_turns_are_acyclic(fabric, up, turns_up);
}

class TreeGroups : public testing::TestWithParam<const char*> {};

TEST_P(TreeGroups, EqualTheDefinition) {
  const std::string spec = GetParam();
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Rng rng(seed);
    const Fabric fabric = fabric_of(spec, static_cast<std::uint8_t>(seed % 2));
    std::vector<std::uint64_t> weights;
    if (seed % 3 == 0)
      for (std::uint32_t c = 0; c < fabric.channel_count(); ++c)
        weights.push_back(1 + rng.below(2));
    const auto rank = updn_ranks(fabric, {});
    ASSERT_TRUE(rank.has_value());
    std::vector<std::uint8_t> up;
    for (const Channel& channel : fabric.channels())
      up.push_back(goes_up(channel, *rank, {}) ? 1 : 0);
    auto routes = route_updn(fabric, {});
    ASSERT_TRUE(routes.has_value());
    damage(fabric, seed == 1 ? 0 : 20 * static_cast<unsigned>(seed), rng, routes->lfts);
    GroupOptions options{.threads = 2};
    options.hop_weights = weights;
    add_upward_groups(fabric, up, options, *routes);
    const std::string place = spec + " seed " + std::to_string(seed);
    compare(fabric, *routes, up, weights, Fixed::kFromDownHop, place);
    if (HasFatalFailure()) return;

    auto ranked = route_updn(fabric, {});
    damage(fabric, static_cast<unsigned>(seed) / 2, rng, ranked->lfts);
    add_tree_groups(fabric, *rank, {}, options, *ranked);
    const bool rest = may_close_a_cycle(fabric, ranked->lfts, up);
    compare(fabric, *ranked, up, weights, rest ? Fixed::kFromDownHop : Fixed::kDownHops,
            place + ", ranked");
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Fabrics, TreeGroups,
                         testing::Values("fattree2:k=6,trunks=2", "fattree3:k=4",
                                         "xgft:m=3x4x3,w=1x3x2",
                                         "random:n=40,degree=4,hosts=2,seed=3",
                                         "dragonfly:a=4,h=2,p=2"));

}  // namespace
}  // namespace weft
