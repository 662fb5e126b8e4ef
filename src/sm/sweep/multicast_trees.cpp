// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/sweep/multicast_trees.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/clock.h"
#include "routing/multicast.h"
#include "verify/failure_text.h"

namespace weft {

std::vector<MulticastGroup> current_groups(const RouteInput& input,
                                           std::vector<std::string>& warnings) {
  input.updates.begin();
  std::vector<MulticastGroup> groups =
      resolve_groups(input.options.routing.groups, input.fabric, warnings);
  std::vector<std::string> ignored;  // warnings about absent members, which the SA removes
  const std::size_t filed = groups.size();
  for (MulticastGroup& group : resolve_groups(input.updates.groups(), input.fabric, ignored)) {
    const auto of_file = std::span(groups).first(filed);
    if (!std::ranges::binary_search(of_file, group.mlid, {}, &MulticastGroup::mlid))
      groups.push_back(std::move(group));
  }
  std::ranges::sort(groups, {}, &MulticastGroup::mlid);
  return groups;
}

void renew_trees(const RouteInput& input, FoundRoutes& found, SweepReport& report) {
  SubnetMemory& memory = input.memory;
  std::vector<std::string> warnings;
  std::vector<MulticastGroup> groups = current_groups(input, warnings);
  if (memory.planned_groups == groups) return;
  RoutingOptions routing = resolve(input.options.routing, input.fabric, warnings);
  routing.vls_max = std::min(routing.vls_max, data_vls_of_code(vl_limit(input.options).least()));
  const Stopwatch routing_watch;
  auto plan = plan_multicast(input.fabric, found.routes, routing, groups);
  if (!plan) return warn(report, plan.error().message);
  if (plan->notes != memory.tree_notes)
    for (const std::string& note : plan->notes) warn(report, note);
  memory.tree_notes = plan->notes;
  add_multicast(std::move(*plan), found.routes);
  memory.planned_groups = std::move(groups);
  report.seconds.route += routing_watch.seconds();
  if (input.options.verify == VerifyMode::kOff) return;
  const Stopwatch verifying;
  auto verified = input.verifier.verify(input.fabric, found.routes,
                                        {.threads = routing.threads,
                                         .groups = *memory.planned_groups,
                                         .ignore_replies = routing.ignore_replies});
  found.verdict = std::move(verified.verdict);
  found.dependencies = std::move(verified.dependencies);
  report.verified_changes_only = verified.only_changes;
  if (const std::string text = multicast_failure(found.verdict); !text.empty())
    warn(report, fmt::format("multicast trees on routes of '{}': {}", found.routes.engine, text));
  report.seconds.verify += verifying.seconds();
}

}  // namespace weft
