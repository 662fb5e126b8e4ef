// Stages of a sweep for adaptive routing: capabilities are read before routing; adaptive routing is
// disabled before plain tables change, and enabled after everything else is written. Skipped if
// adaptive routing is not configured and not enabled on any switch.
#include <algorithm>

#include "base/log.h"
#include "routing/adaptive/engines.h"
#include "sm/subnet_manager.h"

namespace weft {

bool SubnetManager::uses_adaptive_routing() const {
  if (options_.routing.adaptive) return options_.routing.adaptive->enable;
  return std::ranges::any_of(options_.routing_engine.engines,
                             [](const std::string& name) { return plain_engine(name) != name; });
}

void SubnetManager::finish_reading_tables() {
  ar_conf_ = options_.routing.adaptive.value_or(ArConf{});
  if (!uses_adaptive_routing() || regrouping_) return plan();
  ar_reading_ = std::make_unique<ArReading>(*observed_, ar_);
  stage_ = Stage::kReadingAdaptive;
}

void SubnetManager::set_adaptive_capabilities(RoutingOptions& routing, const Fabric& fabric) const {
  if (!uses_adaptive_routing()) return;
  if (!routing.adaptive) routing.adaptive = AdaptiveOptions{.only_ar_engines = true};
  routing.adaptive->group_capacity = group_capacities(fabric, ar_, ar_conf_);
  if (options_.shield_mode) routing.adaptive->notifies = notifying(fabric, ar_, ar_conf_);
}

void SubnetManager::plan_adaptive_routing() {
  ar_plan_ = {};
  if (uses_adaptive_routing() || ar_.any_on())
    ar_plan_ =
        plan_adaptive(*desired_, ar_, ar_conf_, !(*plan_)[Phase::kTables].empty(), !regrouping_);
  if (ar_plan_.before.empty()) return begin_programming();
  ar_programming_ = std::make_unique<ArProgramming>(
      std::move(ar_plan_.before), *observed_, *desired_, ar_, ar_conf_, clock_, report_.adaptive);
  stage_ = Stage::kAdaptiveOff;
}

void SubnetManager::begin_programming() {
  ar_programming_.reset();
  applying_ = std::make_unique<Applying>(*plan_, *observed_, held_, keys_, *desired_, options_);
  stage_ = Stage::kApplying;
}

/// Adaptive routing must stay off on a switch with an unverified plain table.
void SubnetManager::finish_programming() {
  const auto& failed = applying_->report().failed_nodes;
  std::erase_if(ar_plan_.after, [&](const ArOp& op) {
    return std::ranges::find(failed, NodeId(op.sw)) != failed.end();
  });
  if (ar_plan_.after.empty() || report_.adaptive.ended) return finish_sweep();
  ar_programming_ = std::make_unique<ArProgramming>(
      std::move(ar_plan_.after), *observed_, *desired_, ar_, ar_conf_, clock_, report_.adaptive);
  stage_ = Stage::kAdaptiveOn;
}

void SubnetManager::report_adaptive_routing() {
  ar_programming_.reset();
  ar_plan_ = {};
  ArReport& report = report_.adaptive;
  report.on = ar_.count_on();
  report.notifying = ar_.count_notifying();
  for (const std::string& failure : report.failures) warn(failure);
  if (report.ended)
    warn(
        fmt::format("adaptive routing: more than {} errors within {} s: all switches forward by "
                    "their plain tables until the next sweep",
                    ar_conf_.max_errors, ar_conf_.error_window_s));
  if (report.groups + report.entries + report.notifications + report.errors == 0) return;
  log::info(
      "adaptive routing: on at {} switches, fault notification at {}; {} blocks of "
      "groups, {} of entries and {} of notifications written",
      report.on, report.notifying, report.groups, report.entries, report.notifications);
  if (const auto status = log_adaptive(ar_conf_, report); !status) warn(status.error().message);
}

}  // namespace weft
