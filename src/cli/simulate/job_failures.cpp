// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/simulate/job_failures.h"

#include <algorithm>

#include "base/log.h"
#include "cli/routes/repair_study.h"
#include "fabric/without.h"
#include "policy/automatic.h"
#include "service/config/options.h"
#include "whatif/what_if.h"

namespace weft::cli {
namespace {

class FailureDrawer {
 public:
  explicit FailureDrawer(const FailingFabric& fabric) : input_(fabric), fabric_(fabric.fabric) {}

  Status add(const jobs::FailureSpec& spec, std::uint64_t seed, NetworkChanges& changes) {
    auto drawn = drawn_failures(fabric_, FailureKind::kCables, spec.cables, 1, seed);
    if (!drawn) return fail(Code::kBadInput, "{}: {}", spec.where, drawn.error().message);
    const Failure& failure = drawn->front();
    const auto repair =
        spec.repair ? Result<jobs::Picoseconds>(*spec.repair) : simulate_repair_time(failure);
    if (!repair) return fail(repair.error().code, "{}: {}", spec.where, repair.error().message);
    jobs::NetworkChange fails{.time = spec.time, .failed = {}};
    const auto channels = channels_by_port(fabric_, input_.network);
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
  /// The options of a manager that computes the routes as requested. By default the manager rejects
  /// routes that fail verification, as weft sm does.
  Result<SmOptions> manager_options() const {
    for (const std::string& engine : input_.request.choice.engines)
      if (engine != kAutomatic && find_engine(engine) == nullptr)
        return fail(
            Code::kUsage,
            "engine {}: no subnet manager computes its routes: expected the key repair, the time "
            "until new routes are in the switches",
            engine);
    std::vector<std::string> warnings;  // reported when the whole fabric was routed
    Settings settings = input_.request.settings;
    if (settings.verify == offline_defaults().verify) settings.verify = Settings{}.verify;
    auto options = sm_options(settings, warnings);
    if (!options) return options;
    options->routing_engine = input_.request.choice;
    options->routing = input_.request.inputs;
    options->routing.plain.threads = 1;
    options->cache_dir.clear();
    return options;
  }

  /// The time from the failure to the end of the manager's sweep, on an emulated fabric without
  /// earlier failures.
  Result<jobs::Picoseconds> simulate_repair_time(const Failure& failure) const {
    const auto options = manager_options();
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
    const Fabric remaining = without(fabric_, {}, cut_);
    ChainResult chain =
        reroute(input_.request, remaining, input_.routes, input_.routes.lfts, input_.find);
    if (!chain.status) return forward(chain.status);
    return network_of(fabric_, chain.routes);
  }

  const FailingFabric& input_;
  const Fabric& fabric_;
  std::vector<PortId> cut_;  // cables of all failures until now
};

}  // namespace

Result<NetworkChanges> network_changes(const FailingFabric& fabric,
                                       const std::vector<jobs::FailureSpec>& failures,
                                       std::uint64_t seed) {
  NetworkChanges changes;
  auto in_order = failures;
  std::ranges::stable_sort(in_order, std::ranges::less{}, &jobs::FailureSpec::time);
  FailureDrawer drawer(fabric);
  for (std::size_t i = 0; i < in_order.size(); ++i)
    if (auto status = drawer.add(in_order[i], seed + i, changes); !status) return forward(status);
  std::ranges::stable_sort(changes.changes, std::ranges::less{}, &jobs::NetworkChange::time);
  return changes;
}

}  // namespace weft::cli
