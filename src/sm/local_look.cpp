#include "sm/local_look.h"

#include <algorithm>
#include <utility>

namespace weft {

bool is_fit_for_local_look(const Observed& observed) {
  return observed.silent.empty() && observed.contradictions == 0 &&
         observed.self_endport != kNoEndport;
}

LocalLook::LocalLook(Observed before, KnownKeys& keys, const NodeNames& names, Fdr10Devices* fdr10,
                     std::set<Guid> switches)
    : keys_(keys),
      names_(names),
      fdr10_(fdr10),
      observed_(std::move(before)),
      wanted_(std::move(switches)) {
  std::set<Guid> first;
  for (const Guid sw : wanted_) first.merge(on_the_way_to(sw));
  for (const Guid sw : first) wanted_.erase(sw);
  begin_look(first);
}

/// The switches that a packet to this one passes: the cable that failed may be the last on the way.
/// One that is next to the manager, or is not known, has itself.
std::set<Guid> LocalLook::on_the_way_to(Guid sw) const {
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

SmpWork& LocalLook::work() {
  if (survey_) return *survey_;
  return *look_;
}

void LocalLook::begin_look(const std::set<Guid>& switches) {
  ++looks_;
  Discovered known = as_found(observed_);
  std::vector<std::uint32_t> doubtful;
  for (std::uint32_t n = 0; n < known.nodes.size(); ++n)
    if (switches.contains(known.nodes[n].seen.info.node_guid)) doubtful.push_back(n);
  constexpr bool kClearsChanges = true;  // only a master looks so
  look_ = std::make_unique<Discovery>(keys_, kClearsChanges, std::move(known), doubtful);
  look_->use_names(names_);
  look_->ask_for_fdr10(fdr10_);
}

bool LocalLook::advance() {
  if (!doubt_.empty()) return false;
  if (survey_) return finish_survey();
  return finish_look();
}

bool LocalLook::doubt(std::string why) {
  doubt_ = std::move(why);
  return false;
}

bool LocalLook::finish_look() {
  wanted_.insert(look_->in_doubt().begin(), look_->in_doubt().end());
  auto found = std::move(*look_).result();
  look_.reset();
  if (!found) return doubt(found.error().message);
  if (!found->warnings.empty()) return doubt(found->warnings.front());
  if (!is_fit_for_local_look(*found)) return doubt("what was found contradicts itself");
  observed_ = std::move(*found);
  keys_.bind_ways(observed_);
  if (wanted_.empty() && !surveyed_) {
    surveyed_ = true;
    survey_ = std::make_unique<LightSweep>(observed_, Mkey(0), LightSweep::Extent::kEverySwitch);
    return true;
  }
  if (wanted_.empty()) return false;
  if (looks_ == kLooksMax) return doubt("the fabric goes on changing");
  begin_look(take_nearest());
  return true;
}

/// Those of the wanted that no other of them is on the way to: what that one has lost may be the
/// way to those behind it, which are asked by their new ways afterwards.
std::set<Guid> LocalLook::take_nearest() {
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

bool LocalLook::finish_survey() {
  const auto survey = std::move(survey_);
  if (!survey->beyond_ports().empty()) return doubt(survey->beyond_ports());
  for (const NodeId node : survey->changed_switches())
    wanted_.insert(observed_.fabric.node(node).node_guid);
  if (wanted_.empty()) return false;
  begin_look(take_nearest());
  return true;
}

}  // namespace weft
