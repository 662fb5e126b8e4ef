// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/deadlock/laned_trees.h"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>

#include "base/check.h"
#include "routing/balance/channel_weights.h"
#include "routing/balance/next_hop_choice.h"
#include "routing/deadlock/layers.h"

namespace weft {
namespace {

// On regular fabrics fewer than 1 in 8 searches find a cycle.
constexpr std::uint64_t kRefusalsFree = 64;
constexpr std::uint64_t kRegularShare = 8;

constexpr unsigned kClassShift =
    32;  // position of the flows of the current class in loads and costs

}  // namespace

LanedTrees::LanedTrees(const Fabric& fabric, const Turns& turns, const Rules& rules)
    : fabric_(fabric),
      turns_(turns),
      rules_(rules),
      all_(static_cast<Mask>((1u << std::max(1u, rules.lanes)) - 1)),
      has_(turns.count(), 0),
      closed_(turns.count(), 0),
      weight_(channel_weights(fabric)),
      load_(fabric.channel_count(), 0),
      flow_(fabric.switch_count()),
      branch_(fabric.switch_count()),
      used_stamp_(fabric.switch_count(), 0),
      used_(fabric.switch_count()) {
  CHECK(rules.lanes <= kLanesMax);
  for (const Channel& channel : fabric.channels()) port_.push_back(channel.from_port.value());
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    hosts_.push_back(static_cast<std::uint32_t>(fabric.endports_at(SwitchId(s)).size()));
  if (rules.both_directions) trees_.resize(fabric.switch_count());
}

void LanedTrees::begin_class() {
  for (std::uint64_t& load : load_) load &= (std::uint64_t{1} << kClassShift) - 1;
}

bool LanedTrees::grow(const HopDag& dag, unsigned hosts, bool grouped,
                      std::span<std::uint8_t> ports, std::span<std::uint8_t> lanes) {
  destination_ = dag.destination().value();
  branch_[destination_] = {};
  Tree tree(rules_.both_directions ? fabric_.switch_count() : 0, kNoStep);
  for (const HopDag::Group& group : dag.groups()) {
    for (std::uint32_t m = group.begin; m < group.end; ++m) {
      const HopDag::Member& member = dag.members()[m];
      // With both_directions, both paths of a pair are assigned lanes if one of them has packets.
      const bool sends = hosts > 0 || hosts_[member.sw] > 0 ||
                         (rules_.both_directions && hosts_[destination_] > 0);
      if (!join(dag.channels(group, member), dag.targets(group, member), member.sw, sends, grouped))
        return false;
      const Branch& branch = branch_[member.sw];
      ports[member.sw] = port_[branch.channel];
      if (sends) lanes[member.sw] = branch.lane;
      if (rules_.both_directions)
        tree[member.sw] = static_cast<std::uint8_t>(
            branch.channel - fabric_.first_channel(SwitchId(member.sw)).value());
    }
  }
  if (rules_.both_directions) trees_[destination_].push_back(std::move(tree));
  if (hosts > 0) add_flows(dag, hosts);
  return !rules_.only_regular || !is_irregular();
}

LanedTrees::Candidate LanedTrees::weigh(std::uint32_t channel, std::uint32_t to, bool grouped,
                                        std::uint32_t sw) const {
  Candidate candidate;
  candidate.penalty = grouped ? penalty(sw, to) : 0;
  if (to == destination_) {
    candidate.cost = load_[channel];
    candidate.can = candidate.present = all_;
    return candidate;
  }
  const Branch& next = branch_[to];
  const std::uint32_t turn = turns_.turn(channel, next.channel);
  candidate.cost = next.cost + load_[channel];
  if (rules_.lanes == 0) {
    candidate.can = candidate.present = all_;
    return candidate;
  }
  candidate.can = next.can & static_cast<Mask>(~closed_[turn]);
  candidate.present = next.present & has_[turn];
  return candidate;
}

/// Precedence of a next hop, compared before its cost; the lowest is best.
std::uint64_t LanedTrees::precedence(const Candidate& candidate, const Lanes& earlier) const {
  if (!rules_.fewest_lanes) return 0;
  const auto lowest = [](Mask mask) { return static_cast<unsigned>(std::countr_zero(mask)); };
  const auto present = static_cast<Mask>(candidate.present & earlier.present);
  return present != 0 ? lowest(present)
                      : kLanesMax + lowest(static_cast<Mask>(candidate.can & earlier.can));
}

/// Selects the next hop of a switch. Returns false if no next hop fits on a lane.
bool LanedTrees::join(std::span<const std::uint32_t> channels,
                      std::span<const std::uint32_t> targets, std::uint32_t sw, bool sends,
                      bool grouped) {
  candidates_.clear();
  for (std::size_t i = 0; i < channels.size(); ++i)
    candidates_.push_back(weigh(channels[i], targets[i], grouped, sw));
  const Lanes earlier =
      rules_.both_directions && sends ? lanes_between(sw, destination_) : Lanes{all_, all_};
  if (!settle(channels, targets, sw, sends, earlier)) return false;
  Branch& branch = branch_[sw];
  if (grouped) {
    if (used_stamp_[sw] != port_stamp_) used_[sw].clear();
    used_stamp_[sw] = port_stamp_;
    used_[sw].push_back(branch.to);
  }
  return true;
}

/// Selects the best next hop. If the switch sends packets, puts the path on a lane on which the
/// earlier paths of the pair fit, too. Returns false if there is no such next hop.
bool LanedTrees::settle(std::span<const std::uint32_t> channels,
                        std::span<const std::uint32_t> targets, std::uint32_t sw, bool sends,
                        Lanes earlier) {
  Branch& branch = branch_[sw];
  tried_.assign(candidates_.size(), 0);
  while (true) {
    std::size_t best = candidates_.size();
    std::tuple best_key(std::uint64_t{0}, 0u, std::uint64_t{0});
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const Candidate& candidate = candidates_[i];
      if ((candidate.can & earlier.can) == 0 || tried_[i] != 0) continue;
      const unsigned factor =
          (candidate.present & earlier.present) == 0 ? rules_.new_turn_factor : 1;
      const std::tuple key(precedence(candidate, earlier), candidate.penalty,
                           candidate.cost * factor);
      if (best != candidates_.size() && key >= best_key) continue;
      best = i;
      best_key = key;
    }
    if (best == candidates_.size()) return false;
    const Candidate& candidate = candidates_[best];
    branch = {channels[best], targets[best], candidate.cost, candidate.can, candidate.present};
    if (!sends) return true;
    // A lane that already has all turns of the paths is preferred.
    auto ready = static_cast<Mask>(candidate.present & earlier.present);
    for (Mask left = candidate.can & earlier.can; left != 0 && ready == 0; left &= left - 1)
      if (add_path(sw, static_cast<unsigned>(std::countr_zero(left))))
        ready = static_cast<Mask>(left & -left);
    if (ready != 0) {
      branch.lane = static_cast<std::uint8_t>(std::countr_zero(ready));
      lanes_used_ = std::max(lanes_used_, branch.lane + 1u);
      return true;
    }
    tried_[best] = 1;
  }
}

AcyclicTurns& LanedTrees::graph(unsigned lane) {
  while (graph_.size() <= lane) graph_.emplace_back(turns_, rules_.search_limit);
  return graph_[lane];
}

/// Adds a turn to a lane. If the turn would close a cycle, removes all turns that are listed in
/// added_ and returns false.
bool LanedTrees::put(std::uint32_t in, std::uint32_t out, unsigned lane) {
  AcyclicTurns& graph = this->graph(lane);
  const auto bit = static_cast<Mask>(1u << lane);
  const std::uint32_t turn = turns_.turn(in, out);
  if ((has_[turn] & bit) != 0) return true;
  if ((closed_[turn] & bit) == 0 && graph.add(in, out)) {
    has_[turn] |= bit;
    added_.emplace_back(in, out);
    return true;
  }
  for (const auto& [from, to] : added_) {
    graph.remove(from, to);
    has_[turns_.turn(from, to)] &= static_cast<Mask>(~bit);
  }
  // Without the other turns of this path, the turn may be possible.
  if ((closed_[turn] & bit) != 0) return false;
  if (added_.empty() || !graph.add(in, out)) {
    closed_[turn] |= bit;
  } else {
    graph.remove(in, out);
  }
  return false;
}

/// Adds the turns of the path from a switch, and with both_directions of all earlier paths between
/// the switch and the destination, to a lane. Returns false, without added turns, if a turn would
/// close a cycle.
bool LanedTrees::add_path(std::uint32_t sw, unsigned lane) {
  const auto bit = static_cast<Mask>(1u << lane);
  added_.clear();
  if (!add_tree_path(sw, lane)) {
    branch_[sw].can &= static_cast<Mask>(~bit);
    return false;
  }
  if (rules_.both_directions && !add_earlier(sw, lane)) return false;
  for (std::uint32_t at = sw; (branch_[at].present & bit) == 0; at = branch_[at].to)
    branch_[at].present |= bit;
  return true;
}

bool LanedTrees::add_tree_path(std::uint32_t sw, unsigned lane) {
  const auto bit = static_cast<Mask>(1u << lane);
  for (std::uint32_t at = sw; (branch_[at].present & bit) == 0; at = branch_[at].to)
    if (!put(branch_[at].channel, branch_[branch_[at].to].channel, lane)) return false;
  return true;
}

bool LanedTrees::add_earlier(std::uint32_t sw, unsigned lane) {
  const auto put_turn = [&](std::uint32_t in, std::uint32_t out) { return put(in, out, lane); };
  for (const Tree& tree : trees_[sw])
    if (!each_turn(tree, destination_, sw, put_turn)) return false;
  for (const Tree& tree : trees_[destination_])
    if (!each_turn(tree, sw, destination_, put_turn)) return false;
  return true;
}

/// Calls body(in, out) for each turn of a path of an earlier tree until a call returns false.
/// Returns whether all calls returned true.
template <class Body>
bool LanedTrees::each_turn(const Tree& tree, std::uint32_t from, std::uint32_t to,
                           const Body& body) const {
  if (tree[from] == kNoStep) return true;
  std::uint32_t in = step(tree, from);
  for (std::uint32_t at = fabric_.channel(ChannelId(in)).to.value(); at != to;
       at = fabric_.channel(ChannelId(in)).to.value()) {
    const std::uint32_t out = step(tree, at);
    if (!body(in, out)) return false;
    in = out;
  }
  return true;
}

/// Lanes of the existing paths between two switches.
LanedTrees::Lanes LanedTrees::lanes_between(std::uint32_t a, std::uint32_t b) const {
  Lanes lanes{all_, all_};
  const auto restrict_by_turn = [&](std::uint32_t in, std::uint32_t out) {
    const std::uint32_t turn = turns_.turn(in, out);
    lanes.can &= static_cast<Mask>(~closed_[turn]);
    lanes.present &= has_[turn];
    return true;
  };
  for (const Tree& tree : trees_[a]) each_turn(tree, b, a, restrict_by_turn);
  for (const Tree& tree : trees_[b]) each_turn(tree, a, b, restrict_by_turn);
  return lanes;
}

std::vector<std::uint8_t> LanedTrees::distribute_pairs() {
  const std::uint32_t switches = fabric_.switch_count();
  std::vector<Mask> choices(std::size_t{switches} * switches, 0);
  for (std::uint32_t b = 0; b < switches; ++b)
    for (std::uint32_t a = 0; a < b; ++a)
      if (exchange_packets(a, b))
        choices[std::size_t{b} * switches + a] = lanes_between(a, b).present;
  // A lane is not used if each of its pairs can use another lane.
  Mask kept = static_cast<Mask>((1u << lanes_used_) - 1);
  for (unsigned lane = lanes_used_; lane-- > 0;) {
    const auto others = static_cast<Mask>(kept & ~(1u << lane));
    if (others != 0 && std::ranges::none_of(choices, [&](Mask choice) {
          return choice != 0 && (choice & others) == 0;
        }))
      kept = others;
  }
  std::array<Mask, kLanesMax> renumbered{};
  lanes_used_ = 0;
  for (unsigned lane = 0; lane < kLanesMax; ++lane)
    if ((kept >> lane & 1) != 0) renumbered[lane] = static_cast<Mask>(1u << lanes_used_++);
  for (Mask& choice : choices) {
    Mask left = choice & kept;
    choice = 0;
    for (; left != 0; left &= left - 1)
      choice |= renumbered[static_cast<std::size_t>(std::countr_zero(left))];
  }
  return distribute_layers(switches, lanes_used_, choices);
}

void LanedTrees::add_flows(const HopDag& dag, unsigned hosts) {
  std::ranges::copy(hosts_, flow_.begin());
  const auto members = dag.members();
  for (std::size_t i = members.size(); i-- > 0;) {
    const std::uint32_t sw = members[i].sw;
    const std::uint64_t flows = std::uint64_t{flow_[sw]} * hosts * weight_[branch_[sw].channel];
    load_[branch_[sw].channel] += flows << kClassShift | flows;
    flow_[branch_[sw].to] += flow_[sw];
  }
}

bool LanedTrees::is_irregular() const {
  std::uint64_t searches = 0, refusals = 0;
  for (const AcyclicTurns& graph : graph_) {
    searches += graph.searches();
    refusals += graph.refusals();
  }
  return refusals > kRefusalsFree && refusals * kRegularShare > searches;
}

/// Penalty for a next hop that earlier LIDs of the port use: see lmc_penalty().
unsigned LanedTrees::penalty(std::uint32_t sw, std::uint32_t to) const {
  if (used_stamp_[sw] != port_stamp_) return 0;
  return lmc_penalty(fabric_, used_[sw], to);
}

}  // namespace weft
