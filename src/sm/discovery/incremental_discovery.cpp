// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/discovery/incremental_discovery.h"

#include <algorithm>
#include <utility>

namespace weft {

bool is_fit_for_incremental_discovery(const Observed& observed) {
  return observed.silent.empty() && observed.contradictions == 0 &&
         observed.self_endport != kNoEndport;
}

IncrementalDiscovery::IncrementalDiscovery(Observed before, KnownKeys& keys, const NodeNames& names,
                                           Fdr10Devices* fdr10, std::set<Guid> switches)
    : keys_(keys),
      names_(names),
      fdr10_(fdr10),
      observed_(std::move(before)),
      wanted_(std::move(switches)) {
  std::set<Guid> first;
  for (const Guid sw : wanted_) first.merge(on_the_way_to(sw));
  for (const Guid sw : first) wanted_.erase(sw);
  begin_queries(first);
}

/// The switches on the path to this one: the failed link may be the last of the path. Just the
/// switch itself if it is next to the manager or unknown.
std::set<Guid> IncrementalDiscovery::on_the_way_to(Guid sw) const {
  const Fabric& fabric = observed_.fabric;
  const auto node = fabric.find_node(sw);
  std::set<Guid> passed;
  if (node && fabric.is_switch(*node)) {
    const DirectedPath& path = observed_.nodes[node->value()].path();
    NodeId at = observed_.self;
    for (std::uint8_t hop = 1; hop <= path.count && at != *node; ++hop) {
      if (fabric.is_switch(at)) passed.insert(fabric.node(at).node_guid);
      const PortId out = fabric.port_id(at, PortNum(path.hops[hop]));
      if (out == kNoPort || fabric.port(out).peer == kNoPort) break;
      at = fabric.port(fabric.port(out).peer).node;
    }
  }
  if (passed.empty()) passed.insert(sw);
  return passed;
}

SmpWork& IncrementalDiscovery::work() {
  if (survey_) return *survey_;
  return *look_;
}

void IncrementalDiscovery::begin_queries(const std::set<Guid>& switches) {
  ++looks_;
  Discovered known = as_found(std::move(observed_));  // the result of the queries replaces it
  std::vector<std::uint32_t> doubtful;
  for (std::uint32_t n = 0; n < known.nodes.size(); ++n)
    if (switches.contains(known.nodes[n].seen.info.node_guid)) doubtful.push_back(n);
  constexpr bool kClearsChanges = true;  // only a master runs this
  look_ = std::make_unique<Discovery>(keys_, kClearsChanges, std::move(known), doubtful);
  look_->use_names(names_);
  look_->query_fdr10(fdr10_);
}

bool IncrementalDiscovery::advance() {
  if (!doubt_.empty()) return false;
  if (survey_) return finish_survey();
  return finish_queries();
}

bool IncrementalDiscovery::doubt(std::string why) {
  doubt_ = std::move(why);
  return false;
}

bool IncrementalDiscovery::finish_queries() {
  wanted_.insert(look_->in_doubt().begin(), look_->in_doubt().end());
  auto found = std::move(*look_).result();
  look_.reset();
  if (!found) return doubt(found.error().message);
  if (!found->warnings.empty()) return doubt(found->warnings.front());
  if (!is_fit_for_incremental_discovery(*found)) return doubt("the answers are contradictory");
  observed_ = std::move(*found);
  keys_.bind_paths(observed_);
  if (wanted_.empty() && !surveyed_) {
    surveyed_ = true;
    survey_ = std::make_unique<LightSweep>(observed_, LightSweep::Extent::kEverySwitch);
    return true;
  }
  if (wanted_.empty()) return false;
  if (looks_ == kLooksMax) return doubt("the fabric keeps changing");
  begin_queries(take_nearest());
  return true;
}

/// Pending switches with no other pending switch on their path: a link that the nearer switch lost
/// may be on the path to the others, which are queried later by their new paths.
std::set<Guid> IncrementalDiscovery::take_nearest() {
  std::set<Guid> nearest;
  for (const Guid sw : wanted_) {
    const auto passed = on_the_way_to(sw);
    if (std::ranges::none_of(passed,
                             [&](Guid other) { return other != sw && wanted_.contains(other); }))
      nearest.insert(sw);
  }
  for (const Guid sw : nearest) wanted_.erase(sw);
  return nearest;
}

bool IncrementalDiscovery::finish_survey() {
  const auto survey = std::move(survey_);
  if (!survey->beyond_ports().empty()) return doubt(survey->beyond_ports());
  for (const NodeId node : survey->changed_switches())
    wanted_.insert(observed_.fabric.node(node).node_guid);
  if (wanted_.empty()) return false;
  begin_queries(take_nearest());
  return true;
}

}  // namespace weft
