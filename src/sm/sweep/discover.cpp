// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/sweep/discover.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "sm/discovery/degraded_links.h"

namespace weft {
namespace {

constexpr unsigned kRestartsMax = 3;
constexpr std::size_t kDegradedLinksNamed = 50;

/// Null if FDR10 is not read.
Fdr10Devices* fdr10_devices(const DiscoverStage::Input& input) {
  return input.options.fdr10 == Fdr10::kIgnore ? nullptr : &input.memory.fdr10_devices;
}

}  // namespace

DiscoverStage::DiscoverStage(const Input& input) : options_(input.options), memory_(input.memory) {
  discovery_ = std::make_unique<Discovery>(input.keys, input.clears_changes);
  discovery_->use_names(options_.node_names);
  discovery_->use_more_ports(options_.more_own_ports);
  discovery_->avoid(memory_.health.avoided());
  discovery_->query_fdr10(fdr10_devices(input));
  go_on_with(*discovery_);
}

DiscoverStage::DiscoverStage(const Input& input, std::set<Guid> changed)
    : options_(input.options), memory_(input.memory) {
  incremental_ = std::make_unique<IncrementalDiscovery>(
      *memory_.observed, input.keys, options_.node_names, fdr10_devices(input), std::move(changed));
  go_on_with(*incremental_);
}

void DiscoverStage::on_change(std::optional<Guid> sw) {
  if (incremental_ && sw) {
    incremental_->add(*sw);
  } else {
    changed_meanwhile_ = true;
  }
}

DiscoverStage::Outcome DiscoverStage::conclude(SweepReport& report,
                                               std::vector<std::string>& reasons) {
  if (incremental_) return conclude_incremental(report);
  observed_ = std::move(*discovery_).result();
  if (!observed_) return Outcome::kFailed;
  return must_repeat(report, reasons) ? Outcome::kAgain : Outcome::kGood;
}

DiscoverStage::Outcome DiscoverStage::conclude_incremental(SweepReport& report) {
  const std::string& doubt = incremental_->doubt();
  if (!doubt.empty()) log::info("Full discovery needed: {}", doubt);
  if (!doubt.empty() || changed_meanwhile_) return Outcome::kAgain;
  report.discovered_incrementally = true;
  observed_ = std::move(*incremental_).result();
  return Outcome::kGood;
}

/// Whether the fabric must be discovered again: it changed during discovery, the answers are
/// contradictory, or, with exit_on_fatal, the last discovery found other nodes with the same GUID.
/// Contradictory answers cause one repetition, because two nodes with the same GUID are
/// contradictory in each discovery.
bool DiscoverStage::must_repeat(SweepReport& report, std::vector<std::string>& reasons) {
  const bool doubtful = observed_->contradictions > 0 && report.restarts == 0;
  // A second discovery finds two nodes with the same GUID again, but not a node that was moved.
  const bool is_fatal = options_.exit_on_fatal && !observed_->shared_guids.empty() &&
                        observed_->shared_guids != memory_.shared_guids;
  memory_.shared_guids = observed_->shared_guids;
  if (!changed_meanwhile_ && !doubtful && !is_fatal) return false;
  if (report.restarts == kRestartsMax) {
    reasons.emplace_back("the fabric keeps changing");
    return false;
  }
  ++report.restarts;
  log::info("The fabric changed during discovery, or answers are contradictory: discovering again");
  return true;
}

bool may_discover_incrementally(const SubnetMemory& memory, const SweepReport& last) {
  return memory.snapshot && last.up && memory.observed &&
         memory.observed->avoided == memory.health.avoided() &&
         is_fit_for_incremental_discovery(*memory.observed) && !memory.first_as_master;
}

void store_observation(Observed observed, SubnetMemory& memory, SweepReport& report) {
  if (memory.observed) observed.vports = std::move(memory.observed->vports);
  memory.observed = std::move(observed);
  memory.retry_pauses.keep(*memory.observed);
  for (const std::string& warning : memory.observed->warnings) warn(report, warning);
}

void report_degraded_links(SubnetMemory& memory, SweepReport& report) {
  auto degraded = degraded_links(*memory.observed);
  const bool is_new = degraded != memory.degraded_links;
  for (std::size_t i = 0; i < std::min(degraded.size(), kDegradedLinksNamed); ++i) {
    if (is_new) log::warn("{}", degraded[i]);
    report.degraded_links.push_back(degraded[i]);
  }
  if (is_new && degraded.size() > kDegradedLinksNamed)
    log::warn("and {} more links run below the best width or speed that both ends have enabled",
              degraded.size() - kDegradedLinksNamed);
  memory.degraded_links = std::move(degraded);
}

std::optional<Error> isolation(const Observed& observed) {
  if (observed.self_endport != kNoEndport) return std::nullopt;
  return Error{
      Code::kEnvironment,
      fmt::format("the port of the subnet manager, {} port {}, has no reachable peer: {}",
                  describe(observed.fabric.node(observed.self)), observed.self_port.value(),
                  observed.silent.empty() ? "it is down, or its link was left out"
                                          : "its neighbor sent no valid answer")};
}

}  // namespace weft
