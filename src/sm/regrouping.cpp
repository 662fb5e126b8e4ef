// Multicast groups as clients join and leave them, and the alias GUIDs that they ask for: trees are
// planned anew on the routes that are in force, and the blocks that differ are written. That is a
// sweep which begins at planning: nothing is looked at, and unicast stays as it is. Names of nodes
// and capabilities of ports are renewed in the same way (local_changes.h).
#include <algorithm>
#include <utility>

#include "base/log.h"
#include "routing/multicast/multicast.h"
#include "sm/subnet_manager.h"
#include "verify/complaint.h"

namespace weft {

/// Many join at once when a job starts: a while passes until trees are planned, so that they are
/// planned for all of them.
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

/// Those of the file, and those that clients have joined; a LID of the file's is its own.
std::vector<MulticastGroup> SubnetManager::groups_on(const Fabric& fabric,
                                                     std::vector<std::string>& warnings) {
  regroup_at_ = TimeNs::max();
  std::vector<MulticastGroup> groups = resolve_groups(options_.routing.groups, fabric, warnings);
  std::vector<std::string> gone;  // the administration knows soon enough
  const std::size_t filed = groups.size();
  for (MulticastGroup& group : resolve_groups(joined_, fabric, gone)) {
    const auto of_file = std::span(groups).first(filed);
    if (!std::ranges::binary_search(of_file, group.mlid, {}, &MulticastGroup::mlid))
      groups.push_back(std::move(group));
  }
  std::ranges::sort(groups, {}, &MulticastGroup::mlid);
  return groups;
}

/// The trees of routes_ become those of the groups that there are now.
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

/// Where the last sweep left something open a whole one is due anyway.
void SubnetManager::begin_regrouping() {
  regroup_at_ = TimeNs::max();
  const std::string why =
      local_changes_.empty() ? "what clients asked for" : "what nodes told of themselves";
  if (!snapshot_ || !observed_ || !report_.up) return request_heavy_sweep(why);
  begin_at_planning(why);
  if (!local_changes_.empty()) return begin_reading_local_changes();
  read_tables();
}

}  // namespace weft
