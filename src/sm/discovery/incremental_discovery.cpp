// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/discovery/incremental_discovery.h"

#include <algorithm>
#include <utility>

namespace weft {

bool is_fit_for_incremental_discovery(const Observed& observed) {
  return observed.silent.empty() && observed.contradictions == 0 &&
         observed.self_endport != kNoEndport && observed.more_own_ports.empty() &&
         observed.fabric.fnm_ends().empty();
}

IncrementalDiscovery::IncrementalDiscovery(const Observed& before, KnownKeys& keys,
                                           const NodeNames& names, Fdr10Devices* fdr10,
                                           std::set<Guid> switches)
    : keys_(keys),
      names_(names),
      fdr10_(fdr10),
      known_(as_found(before)),
      wanted_(std::move(switches)) {
  const SwitchIndex index = this->switches();
  std::set<Guid> first;
  for (const Guid sw : wanted_) first.merge(switches_on_path_to(sw, index));
  for (const Guid sw : first) wanted_.erase(sw);
  begin_queries(first, index);
}

IncrementalDiscovery::SwitchIndex IncrementalDiscovery::switches() const {
  SwitchIndex index;
  for (std::uint32_t n = 0; n < known_.nodes.size(); ++n) {
    const NodeInfo& info = known_.nodes[n].seen.info;
    if (info.type == NodeType::kSwitch) index.emplace(info.node_guid, n);
  }
  return index;
}

/// The switches on the path to this switch, without the switch, because the last link of the path
/// may have failed. Only the switch if no other switch is on the path, or if it is unknown.
std::set<Guid> IncrementalDiscovery::switches_on_path_to(Guid sw,
                                                         const SwitchIndex& switches) const {
  std::set<Guid> passed;
  if (const auto found = switches.find(sw); found != switches.end()) {
    const DirectedPath& path = known_.nodes[found->second].seen.path();
    std::uint32_t at = 0;
    for (std::uint8_t hop = 1; hop <= path.count && at != found->second; ++hop) {
      const DiscoveredNode& node = known_.nodes[at];
      if (node.seen.info.type == NodeType::kSwitch) passed.insert(node.seen.info.node_guid);
      if (path.hops[hop] >= node.neighbors.size() || !node.neighbors[path.hops[hop]].known()) break;
      at = node.neighbors[path.hops[hop]].node;
    }
  }
  if (passed.empty()) passed.insert(sw);
  return passed;
}

SmpWork& IncrementalDiscovery::work() {
  if (switch_info_reading_) return *switch_info_reading_;
  return *partial_discovery_;
}

void IncrementalDiscovery::begin_queries(const std::set<Guid>& switches, const SwitchIndex& index) {
  ++discovery_rounds_;
  std::vector<std::uint32_t> doubtful;
  for (const Guid sw : switches)
    if (const auto found = index.find(sw); found != index.end()) doubtful.push_back(found->second);
  std::ranges::sort(doubtful);
  constexpr bool kClearsChanges = true;  // only a master uses incremental discovery
  partial_discovery_ =
      std::make_unique<Discovery>(keys_, kClearsChanges, std::move(known_), doubtful);
  partial_discovery_->use_names(names_);
  partial_discovery_->query_fdr10(fdr10_);
}

bool IncrementalDiscovery::advance() {
  if (!doubt_.empty()) return false;
  if (switch_info_reading_) return finish_switch_info_queries();
  return finish_queries();
}

bool IncrementalDiscovery::set_doubt(std::string why) {
  doubt_ = std::move(why);
  return false;
}

void IncrementalDiscovery::bind_paths() const {
  if (!keys_.in_use()) return;
  std::vector<KnownKeys::PathEnd> ends;
  for (const DiscoveredNode& node : known_.nodes)
    for (std::size_t p = 0; p < node.seen.paths.size(); ++p)
      if (node.seen.paths[p].count > 0) ends.push_back({node.seen.paths[p], node.port_guids[p]});
  ends.push_back({{}, known_.nodes.front().port_guids[known_.own_port]});
  keys_.bind_paths(ends);
}

bool IncrementalDiscovery::finish_queries() {
  const std::set<Guid>& behind_down_links = partial_discovery_->switches_behind_down_links();
  wanted_.insert(behind_down_links.begin(), behind_down_links.end());
  const bool links_changed = partial_discovery_->links_changed();
  known_ = std::move(*partial_discovery_).found();
  partial_discovery_.reset();
  if (!known_.warnings.empty()) return set_doubt(known_.warnings.front());
  if (!known_.silent.empty()) return assemble_known();  // adds warnings about silent nodes
  if (links_changed) {
    // Remove unreachable nodes now: they get no requests, and may have been restarted when they are
    // reachable again.
    if (!compute_paths(known_)) {
      if (!assemble_known()) return false;
      known_ = as_found(observed_);
    }
    bind_paths();
  }
  if (wanted_.empty()) return begin_switch_info_queries();
  if (discovery_rounds_ == kRoundsMax) return set_doubt("the fabric keeps changing");
  return query_nearest();
}

/// Converts known_ to observed_. Returns false if the answers are inconsistent.
bool IncrementalDiscovery::assemble_known() {
  auto found = assemble(std::move(known_));
  if (!found) return set_doubt(found.error().message);
  if (!found->warnings.empty()) return set_doubt(found->warnings.front());
  if (!is_fit_for_incremental_discovery(*found))
    return set_doubt("the answers are contradictory or incomplete");
  observed_ = std::move(*found);
  return true;
}

/// Removes from wanted_ and returns the switches with no other switch of wanted_ on their path. The
/// other switches are queried later by new paths, because a nearer switch may have lost a link of
/// their path.
std::set<Guid> IncrementalDiscovery::take_nearest(const SwitchIndex& switches) {
  std::set<Guid> nearest;
  for (const Guid sw : wanted_) {
    const auto passed = switches_on_path_to(sw, switches);
    if (std::ranges::none_of(passed,
                             [&](Guid other) { return other != sw && wanted_.contains(other); }))
      nearest.insert(sw);
  }
  for (const Guid sw : nearest) wanted_.erase(sw);
  return nearest;
}

bool IncrementalDiscovery::query_nearest() {
  const SwitchIndex index = switches();
  begin_queries(take_nearest(index), index);
  return true;
}

bool IncrementalDiscovery::begin_switch_info_queries() {
  if (!assemble_known()) return false;
  if (has_read_switch_info_) return false;
  has_read_switch_info_ = true;
  switch_info_reading_ = std::make_unique<LightSweep>(observed_, LightSweep::Extent::kEverySwitch);
  return true;
}

bool IncrementalDiscovery::finish_switch_info_queries() {
  const auto reading = std::move(switch_info_reading_);
  if (!reading->beyond_ports().empty()) return set_doubt(reading->beyond_ports());
  for (const NodeId node : reading->changed_switches())
    wanted_.insert(observed_.fabric.node(node).node_guid);
  if (wanted_.empty()) return false;
  known_ = as_found(observed_);
  return query_nearest();
}

}  // namespace weft
