// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/load/load_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "policy/route_chain.h"
#include "sm/options.h"
#include "sm/sweep_report.h"

namespace weft {
namespace {

constexpr double kPercent = 100;

std::string name_of(const Fabric& fabric, ChannelId id) {
  if (id == kNoChannel) return "none";
  const Channel& channel = fabric.channel(id);
  return fmt::format("{} port {}", fabric.node(channel.from).description,
                     channel.from_port.value());
}

}  // namespace

double LoadTrial::gain() const {
  return before.share > 0 ? kPercent * (before.share - after.share) / before.share : 0;
}

std::string LoadTrial::describe() const {
  return fmt::format(
      "largest link load {:.1f}% of the data rate ({}), {:.1f}% with the new routes, gain "
      "{:.1f}%",
      kPercent * before.share, name_of(snapshot->fabric, before.channel), kPercent * after.share,
      gain());
}

LoadTrial try_measured_weights(std::shared_ptr<const Snapshot> snapshot, const SmOptions& options,
                               const HostTraffic& traffic) {
  const Fabric& fabric = snapshot->fabric;
  LoadTrial trial;
  trial.weights = measured_weights(fabric, traffic.received);
  RoutingInputs inputs = options.routing;
  inputs.measured_weights = trial.weights;
  const unsigned threads = inputs.plain.threads;
  std::vector<std::string> warnings;  // not logged: the last sweep had the same warnings
  RoutingOptions routing = resolve(inputs, fabric, warnings);
  routing.vls_max = std::min(routing.vls_max, data_vls_of_code(vl_limit(options).least()));
  const bool adaptive_default =
      options.routing_engine.is_default && snapshot->routes.engine == kAdaptiveDefaultEngine;
  const ChainResult chain = route_by_chain(
      fabric, adaptive_default ? adaptive_first(options.routing_engine) : options.routing_engine,
      std::move(routing), options.verify, options.find_engine);
  trial.status = chain.status;
  if (chain.status) {
    trial.before = largest_load(fabric, snapshot->routes.lfts, traffic, threads);
    trial.after = largest_load(fabric, chain.routes.lfts, traffic, threads);
  }
  trial.snapshot = std::move(snapshot);
  return trial;
}

}  // namespace weft
