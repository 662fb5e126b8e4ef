// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/simulate/job_failures.h"

#include <algorithm>

#include "base/log.h"
#include "cli/routes/repair.h"
#include "cli/routes/repair_study.h"
#include "cli/routes/routing_request.h"
#include "fabric/without.h"

namespace weft::cli {
namespace {

class FailingFabric {
 public:
  FailingFabric(const SimulateArguments& arguments, const LoadedNetwork& loaded)
      : arguments_(arguments), loaded_(loaded), fabric_(*loaded.fabric) {}

  Status add(const jobs::FailureSpec& spec, std::uint64_t seed, NetworkChanges& changes) {
    auto drawn = drawn_failures(fabric_, FailureKind::kCables, spec.cables, 1, seed);
    if (!drawn) return fail(Code::kBadInput, "{}: {}", spec.where, drawn.error().message);
    const Failure& failure = drawn->front();
    const auto repair = spec.repair ? Result<jobs::Picoseconds>(*spec.repair) : simulated(failure);
    if (!repair) return fail(repair.error().code, "{}: {}", spec.where, repair.error().message);
    jobs::NetworkChange fails{.time = spec.time, .failed = {}};
    const auto channels = channels_by_port(fabric_, loaded_.network);
    for (const ChannelId cable : failure.cables) {
      const Channel& channel = fabric_.channel(cable);
      for (const PortId port : {fabric_.port_id(Fabric::node_of(channel.from), channel.from_port),
                                fabric_.port_id(Fabric::node_of(channel.to), channel.to_port)}) {
        fails.failed.push_back(channels[port.value()]);
        cut_.push_back(port);
      }
    }
    changes.changes.push_back(std::move(fails));
    auto network = routed_again();
    if (!network) return fail(network.error().code, "{}: {}", spec.where, network.error().message);
    changes.networks.push_back(std::make_unique<RoutedNetwork>(std::move(*network)));
    changes.changes.push_back(
        {.time = spec.time + *repair, .failed = {}, .network = changes.networks.back().get()});
    return {};
  }

 private:
  /// The time from the failure to the end of the manager's sweep, on an emulated fabric.
  Result<jobs::Picoseconds> simulated(const Failure& failure) const {
    Settings settings = settings_of(arguments_);
    std::vector<std::string> warnings;
    const auto options = manager_options(arguments_.routing, settings, warnings);
    if (!options) return forward(options);
    const auto level = spdlog::get_level();
    spdlog::set_level(spdlog::level::off);
    const auto study = study_repairs(fabric_, *options, {}, std::span(&failure, 1), 1);
    spdlog::set_level(level);
    if (!study) return forward(study);
    if (!study->repairs.front().routed_anew)
      return fail(Code::kUnroutable, "the subnet manager did not bring the subnet up again");
    return study->repairs.front().swept_after.count() * 1000;
  }

  /// Cables between switches change no ids of nodes, ports and endports, so the new tables apply to
  /// the whole fabric.
  Result<RoutedNetwork> routed_again() const {
    std::vector<std::string> warnings;
    const auto request = read_request(arguments_.routing, warnings, settings_of(arguments_));
    if (!request) return forward(request);
    const Fabric left = without(fabric_, {}, cut_);
    ChainResult chain = reroute(*request, left, loaded_.routes, loaded_.routes.lfts);
    if (!chain.status) return forward(chain.status);
    return network_of(fabric_, chain.routes.lfts,
                      chain.routes.adaptive ? &*chain.routes.adaptive : nullptr);
  }

  const SimulateArguments& arguments_;
  const LoadedNetwork& loaded_;
  const Fabric& fabric_;
  std::vector<PortId> cut_;  // of all failures so far
};

}  // namespace

Result<NetworkChanges> network_changes(const SimulateArguments& arguments,
                                       const LoadedNetwork& loaded,
                                       const std::vector<jobs::FailureSpec>& failures) {
  NetworkChanges changes;
  if (failures.empty()) return changes;
  if (!loaded.fabric || !arguments.lfts.empty())
    return fail(Code::kUsage,
                "{}: failures need routes that Weft computes again: expected a fabric with -R",
                failures.front().where);
  auto in_order = failures;
  std::ranges::stable_sort(in_order, std::ranges::less{}, &jobs::FailureSpec::time);
  FailingFabric fabric(arguments, loaded);
  for (std::size_t i = 0; i < in_order.size(); ++i)
    if (auto status = fabric.add(in_order[i], arguments.seed + i, changes); !status)
      return forward(status);
  std::ranges::stable_sort(changes.changes, std::ranges::less{}, &jobs::NetworkChange::time);
  return changes;
}

}  // namespace weft::cli
