// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/transition/change_exposure.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "fabric/changes.h"
#include "routes/group_sl.h"
#include "sm/programming/held_trees.h"
#include "verify/lid_flow.h"

namespace weft {
namespace {

/// Limits of the number of changed entries. With more changes, tracing all packets is as fast.
constexpr std::size_t kEntriesPerChange = 16;
constexpr std::size_t kEntriesAlways = 4096;

bool sls_of_groups_change(const Routes& before, const Routes& wanted) {
  return std::ranges::any_of(wanted.mfts, [&](const auto& tree) {
    return before.mfts.contains(tree.first) &&
           group_sl(before, tree.first) != group_sl(wanted, tree.first);
  });
}

}  // namespace

/// The packets to one LID while some entries for this LID change.
class ChangeExposure::Flow {
 public:
  explicit Flow(const ChangeExposure& of)
      : of_(of),
        fabric_(of.fabric_),
        starts_(of.fabric_, of.wanted_, of.sls_),
        most_(
            lanes_of(of.wanted_, of.wanted_.path_sl.kind() == PathSl::Kind::kUniform ? 1 : 0xFFFF)),
        entry_of_(fabric_.switch_count(), 0),
        seen_(fabric_.switch_count(), 0) {}

  /// Selects the changing entries of one LID.
  void select(std::span<const Entry> entries) {
    for (const Entry& entry : entries_) entry_of_[entry.sw.value()] = 0;
    entries_ = entries;
    lid_ = entries.front().lid;
    for (std::uint32_t i = 0; i < entries.size(); ++i) entry_of_[entries[i].sw.value()] = i + 1;
    starts_.select(lid_);
  }
  bool is_written(SwitchId sw) const { return entry_of_[sw.value()] != 0; }

  struct Hop {
    ChannelId channel = kNoChannel;
    SwitchId to = kNoSwitch;
  };
  /// Calls take(hop) for the next hops to other switches.
  template <class StateOf, class Take>
  void each_hop(SwitchId sw, const StateOf& state_of, const Take& take) const {
    each_port(sw, state_of, [&](PortNum port) {
      const ChannelId channel = port == kNoRoute ? kNoChannel : fabric_.channel_at(sw, port);
      if (channel != kNoChannel) take(Hop{channel, fabric_.channel(channel).to});
      return false;
    });
  }

  /// Switches that changed entries may affect: switches with changed entries, all switches that
  /// packets reach from them, and the switches that send packets to switches with changed entries.
  /// All other switches forward the same packets to the same next hops before, during and after the
  /// update.
  const std::vector<SwitchId>& concerned() {
    begin_search();
    concerned_.clear();
    for (const Entry& entry : entries_) visit(entry.sw, concerned_);
    for (std::size_t head = 0; head < concerned_.size(); ++head)
      each_hop(concerned_[head], kAnyState, [&](Hop hop) { visit(hop.to, concerned_); });
    for (const Entry& entry : entries_)
      each_sender(entry.sw, kAnyState, [&](SwitchId sender) { visit(sender, concerned_); });
    return concerned_;
  }

  /// The VLs of packets that pass a switch or are sent by its hosts.
  template <class StateOf>
  std::uint16_t vls(SwitchId sw, const StateOf& state_of) {
    begin_search();
    senders_.clear();
    visit(sw, senders_);
    std::uint16_t found = 0;
    for (std::size_t head = 0; head < senders_.size() && found != most_; ++head) {
      found |= starts_.own_lanes(senders_[head].value()).all;
      if (found != most_)
        each_sender(senders_[head], state_of, [&](SwitchId sender) { visit(sender, senders_); });
    }
    return found;
  }

  static constexpr auto kAnyState = [](SwitchId, Lid) { return EntryState::kBoth; };
  static constexpr auto kNewState = [](SwitchId, Lid) { return EntryState::kNew; };

 private:
  /// Calls take(port) for the possible output ports until it returns true.
  template <class StateOf, class Take>
  bool each_port(SwitchId sw, const StateOf& state_of, const Take& take) const {
    const std::uint32_t number = entry_of_[sw.value()];
    if (number == 0) return take(of_.wanted_.lfts.port(sw, lid_));
    const Entry& entry = entries_[number - 1];
    const EntryState state = state_of(sw, lid_);
    return (state != EntryState::kOld && take(entry.fresh)) ||
           (state != EntryState::kNew && take(entry.old));
  }
  template <class StateOf, class Take>
  void each_sender(SwitchId sw, const StateOf& state_of, const Take& take) const {
    for (const Channel& channel : fabric_.channels_from(sw))
      if (each_port(channel.to, state_of, [&](PortNum port) { return port == channel.to_port; }))
        take(channel.to);
  }
  void begin_search() { ++search_; }
  void visit(SwitchId sw, std::vector<SwitchId>& list) {
    if (std::exchange(seen_[sw.value()], search_) != search_) list.push_back(sw);
  }

  const ChangeExposure& of_;
  const Fabric& fabric_;
  LidFlow starts_;
  const std::uint16_t most_;  // VLs of all SLs of the routes: no sender adds further VLs
  std::span<const Entry> entries_;
  Lid lid_{};
  std::vector<std::uint32_t> entry_of_;  // by switch: 1 + index in entries_; 0: none
  std::vector<std::uint32_t> seen_;      // by switch: the last search that visited it
  std::uint32_t search_ = 0;
  std::vector<SwitchId> concerned_, senders_;
};

std::optional<ChangeExposure> ChangeExposure::of(const Fabric& fabric, const HeldTables& held,
                                                 const Routes& wanted, const RoutesBefore& before,
                                                 const DependencyGraph& proved,
                                                 std::span<const Op> ops, unsigned threads,
                                                 bool ignore_replies) {
  if (before.routes == nullptr || wanted.adaptive || before.routes->adaptive ||
      !proved.keeps_lanes() || !wanted.sl2vl.uniform() || !(before.routes->sl2vl == wanted.sl2vl) ||
      !(before.routes->path_sl == wanted.path_sl) || sls_of_groups_change(*before.routes, wanted) ||
      !are_trees_known(held, fabric) || !have_same_endports(*before.fabric, fabric))
    return std::nullopt;
  auto entries = entries_to_write(fabric, held, wanted.lfts, ops);
  if (entries.size() > std::max(kEntriesAlways, std::size_t{fabric.switch_count()} *
                                                    fabric.lid_top().value() / kEntriesPerChange))
    return std::nullopt;
  auto of_trees =
      waits_of_trees(fabric, held_trees(held, fabric), *before.routes, wanted, proved.vl_count());
  if (!of_trees) return std::nullopt;
  return ChangeExposure(fabric, wanted, proved, std::move(entries), std::move(*of_trees), threads,
                        ignore_replies);
}

ChangeExposure::ChangeExposure(const Fabric& fabric, const Routes& wanted,
                               const DependencyGraph& proved, std::vector<Entry> entries,
                               std::vector<Wait> of_trees, unsigned threads, bool ignore_replies)
    : fabric_(fabric),
      wanted_(wanted),
      proved_(proved),
      entries_(std::move(entries)),
      of_trees_(std::move(of_trees)),
      sls_(fabric, wanted, ignore_replies, threads) {
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (i == 0 || entries_[i].lid != entries_[i - 1].lid) begins_.push_back(i);
  begins_.push_back(entries_.size());
}

std::vector<ChangeExposure::Entry> ChangeExposure::entries_to_write(const Fabric& fabric,
                                                                    const HeldTables& held,
                                                                    const Lfts& wanted,
                                                                    std::span<const Op> ops) {
  std::vector<Entry> entries;
  for (const Op& op : ops) {
    const SwitchId sw(op.node);
    const HeldTable* const table = held.find(fabric.node(sw).node_guid);
    const auto fresh = wanted.block(sw, op.index);
    for (std::size_t i = 0; i < kLftBlock; ++i) {
      const Lid lid(static_cast<std::uint16_t>(op.index * kLftBlock + i));
      const PortNum old = table == nullptr ? kNoRoute : table->port(lid);
      if (old == PortNum(fresh[i])) continue;
      const EndportId owner = fabric.endport_of(lid);
      if (owner != kNoEndport && fabric.endport(owner).sw != kNoSwitch)
        entries.push_back({lid, sw, old, PortNum(fresh[i])});
    }
  }
  std::ranges::sort(entries, {}, [](const Entry& entry) { return std::pair(entry.lid, entry.sw); });
  return entries;
}

/// The dependencies of multicast packets on `trees`; none if packets use a VL that is not below
/// `vls`. Any switch of a tree may send packets. Members keep the SL that the group had when they
/// joined.
std::optional<std::vector<ChangeExposure::Wait>> ChangeExposure::waits_of_trees(
    const Fabric& fabric, const Mfts& trees, const Routes& before, const Routes& wanted,
    unsigned vls) {
  std::vector<Wait> waits;
  for (const auto& [mlid, masks] : trees) {
    const bool is_new = !before.mfts.contains(mlid) && wanted.mfts.contains(mlid);
    const std::uint8_t vl = wanted.sl2vl.common()[group_sl(is_new ? wanted : before, mlid).value()];
    if (vl == kDropVl) continue;
    if (vl >= vls) return std::nullopt;
    for (const auto& [sw, mask] : masks)
      for (const Channel& out : fabric.channels_from(sw)) {
        const auto next = masks.find(out.to);
        if (!mask[out.from_port.value()] || next == masks.end()) continue;
        for (const Channel& further : fabric.channels_from(out.to))
          if (further.from_port != out.to_port && next->second[further.from_port.value()])
            waits.push_back({fabric.channel_at(sw, out.from_port),
                             fabric.channel_at(out.to, further.from_port), std::uint64_t{1} << vl});
      }
  }
  return waits;
}

template <class Body>
void ChangeExposure::each_lid(Flow& flow, const Body& body) const {
  for (std::size_t i = 0; i + 1 < begins_.size(); ++i) {
    flow.select(std::span(entries_).subspan(begins_[i], begins_[i + 1] - begins_[i]));
    body();
  }
}

/// Adds the dependencies of packets to changing LIDs near changed entries, and of multicast
/// packets, to an acyclic graph. Returns whether the graph is still acyclic.
template <class StateOf>
bool ChangeExposure::is_acyclic(DependencyGraph graph, const StateOf& state_of) const {
  std::vector<ChannelId> begun;
  const auto add = [&](ChannelId held, ChannelId wanted, std::uint64_t vls) {
    const std::uint64_t known = graph.vls(held, wanted);
    if ((vls & ~known) == 0) return;
    graph.set_vls(held, wanted, known | vls);
    begun.push_back(wanted);
  };
  for (const Wait& wait : of_trees_) add(wait.held, wait.wanted, wait.vls);
  Flow flow(*this);
  each_lid(flow, [&] {
    for (const SwitchId sw : flow.concerned()) {
      const std::uint16_t vls = flow.vls(sw, state_of);
      if (vls == 0) continue;
      flow.each_hop(sw, state_of, [&](Flow::Hop first) {
        flow.each_hop(first.to, state_of,
                      [&](Flow::Hop second) { add(first.channel, second.channel, vls); });
      });
    }
  });
  std::ranges::sort(begun);
  begun.erase(std::unique(begun.begin(), begun.end()), begun.end());
  return begun.empty() || graph.is_acyclic_behind(begun);
}

bool ChangeExposure::is_safe_in_any_order() const {
  return is_acyclic(proved_.copy(), Flow::kAnyState);
}

bool ChangeExposure::is_written(SwitchId sw, Lid lid) const {
  return std::ranges::binary_search(entries_, std::pair(lid, sw), {}, [](const Entry& entry) {
    return std::pair(entry.lid, entry.sw);
  });
}

/// The dependencies of the new routes, without the dependencies that only new entries cause.
DependencyGraph ChangeExposure::lasting_dependencies() const {
  std::vector<std::pair<ChannelId, ChannelId>> fresh;
  Flow flow(*this);
  each_lid(flow, [&] {
    for (const SwitchId sw : flow.concerned())
      flow.each_hop(sw, Flow::kNewState, [&](Flow::Hop first) {
        if (!flow.is_written(sw) && !flow.is_written(first.to)) return;
        flow.each_hop(first.to, Flow::kNewState,
                      [&](Flow::Hop second) { fresh.emplace_back(first.channel, second.channel); });
      });
  });
  std::ranges::sort(fresh);
  fresh.erase(std::unique(fresh.begin(), fresh.end()), fresh.end());
  DependencyGraph lasting = proved_.copy();
  LidFlow all(fabric_, wanted_, sls_);
  for (const auto& [held, wanted] : fresh) {
    const LidFlow::Lanes asked{0, static_cast<std::uint16_t>(proved_.vls(held, wanted))};
    const SwitchId from = fabric_.channel(held).from, to = fabric_.channel(held).to;
    const auto lanes = lanes_of_wait(fabric_, wanted_, all, held, wanted, asked, [&](Lid lid) {
      return is_written(from, lid) || is_written(to, lid);
    });
    lasting.set_vls(held, wanted, lanes.all);
  }
  return lasting;
}

bool ChangeExposure::is_safe_in(const TableOrder& order) const {
  std::vector<Lid> lids;
  for (std::size_t i = 0; i + 1 < begins_.size(); ++i) lids.push_back(entries_[begins_[i]].lid);
  const EntryTimes times(fabric_, order.ops, order.rounds, lids);
  const DependencyGraph lasting = lasting_dependencies();
  for (std::uint32_t round = 0; round < times.rounds(); ++round)
    if (!is_acyclic(lasting.copy(),
                    [&](SwitchId sw, Lid lid) { return times.during(round, sw, lid); }))
      return false;
  return true;
}

}  // namespace weft
