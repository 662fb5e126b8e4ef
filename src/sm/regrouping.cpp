// Multicast groups that clients join and leave, and alias GUIDs that they request: trees are
// computed again on the active routes, and the blocks that differ are written. This is a sweep that
// begins at planning, without discovery and with unicast unchanged. Node names and port
// capabilities are updated in the same way (local_changes.h).
#include <algorithm>
#include <utility>

#include "base/log.h"
#include "routing/multicast.h"
#include "sm/subnet_manager.h"
#include "verify/failure_text.h"

namespace weft {

/// Many ports join at once when a job starts: a delay lets one computation of trees serve all of
/// them.
void SubnetManager::set_multicast_groups(std::vector<FiledGroup> groups) {
  joined_ = std::move(groups);
  regroup_soon();
}

void SubnetManager::set_alias_guids(AliasGuids aliases) {
  aliases_ = std::move(aliases);
  regroup_soon();
}

void SubnetManager::regroup_soon() {
  const TimeNs now = clock_.now();
  if (regroup_at_ == TimeNs::max()) joining_since_ = now;
  regroup_at_ = std::min(now + kGroupsSettle, joining_since_ + kGroupsSettleMax);
}

/// Groups of the file and those joined by clients; an MLID in the file is reserved for it.
std::vector<MulticastGroup> SubnetManager::groups_on(const Fabric& fabric,
                                                     std::vector<std::string>& warnings) {
  regroup_at_ = TimeNs::max();
  std::vector<MulticastGroup> groups = resolve_groups(options_.routing.groups, fabric, warnings);
  std::vector<std::string> ignored;  // the SA removes them itself
  const std::size_t filed = groups.size();
  for (MulticastGroup& group : resolve_groups(joined_, fabric, ignored)) {
    const auto of_file = std::span(groups).first(filed);
    if (!std::ranges::binary_search(of_file, group.mlid, {}, &MulticastGroup::mlid))
      groups.push_back(std::move(group));
  }
  std::ranges::sort(groups, {}, &MulticastGroup::mlid);
  return groups;
}

/// Recomputes the trees of routes_ for the current groups.
void SubnetManager::renew_trees(const Fabric& fabric) {
  std::vector<std::string> warnings;
  std::vector<MulticastGroup> groups = groups_on(fabric, warnings);
  if (planned_groups_ == groups) return;
  RoutingOptions routing = resolve(options_.routing, fabric, warnings);
  routing.vls_max = std::min(routing.vls_max, data_vls_of_code(options_.max_op_vls));
  const Stopwatch routing_watch;
  auto plan = plan_multicast(fabric, routes_, routing, groups);
  if (!plan) return warn(plan.error().message);
  if (plan->notes != tree_notes_)
    for (const std::string& note : plan->notes) warn(note);
  tree_notes_ = std::exchange(plan->notes, {});
  add_multicast(std::move(*plan), routes_);
  planned_groups_ = std::move(groups);
  report_.seconds.route += routing_watch.seconds();
  if (options_.verify == VerifyMode::kOff) return;
  const Stopwatch verifying;
  verdict_ = verify(fabric, routes_,
                    {.threads = routing.threads,
                     .groups = *planned_groups_,
                     .ignore_replies = routing.ignore_replies});
  if (const std::string text = multicast_complaint(verdict_); !text.empty())
    warn(fmt::format("multicast trees on routes of '{}': {}", routes_.engine, text));
  report_.seconds.verify += verifying.seconds();
}

void SubnetManager::begin_at_planning(const std::string& why) {
  report_ = {};
  report_.reason = why;
  counts_before_ = client_.counts();
  sweep_watch_ = stage_watch_ = Stopwatch();
  regrouping_ = true;
}

/// After an incomplete sweep a full one is due anyway.
void SubnetManager::begin_regrouping() {
  regroup_at_ = TimeNs::max();
  const std::string why = local_changes_.empty() ? "requests of clients" : "local changes of nodes";
  if (!snapshot_ || !observed_ || !report_.up) return request_heavy_sweep(why);
  begin_at_planning(why);
  if (!local_changes_.empty()) return begin_reading_local_changes();
  read_tables();
}

}  // namespace weft
