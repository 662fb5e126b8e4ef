// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/http_studies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "base/text.h"
#include "congestion/quality/quality.h"
#include "policy/route_chain.h"
#include "service/config/options.h"
#include "service/http/data/status.h"
#include "service/http/server/http_workers.h"

namespace weft {
namespace {

using http_data::Json;

/// Niceness of studies. Their priority is below that of the subnet manager, but not the lowest, so
/// that they end on a busy machine, too.
constexpr int kStudyNiceness = 10;
constexpr unsigned kMatchings = 100;

double rounded(double value) { return std::round(value * 1e6) / 1e6; }

Json quality_json(const Quality& quality) {
  return {{"hops_max", quality.hops_max},
          {"hops_mean", rounded(quality.hops_mean)},
          {"nonminimal", quality.nonminimal},
          {"link_load_max", quality.link_load_max},
          {"link_load_mean", rounded(quality.link_load_mean)},
          {"ebb", rounded(quality.ebb)},
          {"ebb_error", rounded(quality.ebb_error)},
          {"alltoall", rounded(quality.alltoall)}};
}

Quality assess_alone(const Fabric& fabric, const Routes& routes, const Settings& settings) {
  return assess(fabric, routes, {.threads = 1, .seed = settings.seed, .matchings = kMatchings});
}

/// The options with which a sweep would compute routes.
RoutingOptions options_of_sweep(const RoutingInputs& inputs, const Settings& settings,
                                const Fabric& fabric) {
  std::vector<std::string> warnings;  // not reported: the last sweep had the same warnings
  RoutingOptions options = resolve(inputs, fabric, warnings);
  options.vls_max = std::min(options.vls_max, vls_for_routes(settings));
  options.threads = 1;
  return options;
}

/// Number of forwarding-table blocks that differ between `a` and `b`.
std::uint64_t blocks_between(const Lfts& a, const Lfts& b) {
  std::uint64_t differing = 0;
  for (std::uint32_t s = 0; s < a.switch_count(); ++s)
    for (std::size_t block = 0; block < std::max(a.blocks(), b.blocks()); ++block)
      differing += block >= a.blocks() || block >= b.blocks() ||
                   !std::ranges::equal(a.block(SwitchId(s), block), b.block(SwitchId(s), block));
  return differing;
}

}  // namespace

Json engines_json(const Snapshot& snapshot) {
  Json list = Json::array();
  for (const Engine& engine : engines())
    list.push_back({{"name", engine.name}, {"summary", engine.summary}});
  return {{"in_force", snapshot.routes.engine}, {"engines", std::move(list)}};
}

Result<Json> compare_engine(const Snapshot& snapshot, const Settings& settings,
                            const std::string& engine) {
  if (find_engine(engine) == nullptr)
    return fail(Code::kUsage, "engine: unknown engine {}", weft::quoted(engine));
  std::vector<std::string> warnings;
  const auto inputs = routing_inputs(settings, warnings);
  if (!inputs) return forward(inputs);
  const ChainResult chain =
      route_by_chain(snapshot.fabric, {{engine}, false},
                     options_of_sweep(*inputs, settings, snapshot.fabric), VerifyMode::kWarn);
  Json json{{"sweep", snapshot.sweep}, {"engine", engine}, {"served", bool(chain.status)}};
  if (!chain.status) {
    json["reason"] = chain.failed.empty() ? chain.status.error().message : chain.failed[0].reason;
    return json;
  }
  json["seconds"] = chain.route_seconds;
  json["vls"] = chain.routes.vls;
  json["verify"] = http_data::verdict(chain.verdict);
  json["quality"] = quality_json(assess_alone(snapshot.fabric, chain.routes, settings));
  json["blocks"] = blocks_between(snapshot.routes.lfts, chain.routes.lfts);
  return json;
}

Result<Failure> failure_at(const Fabric& fabric, Guid guid, std::optional<PortNum> num) {
  const auto node = fabric.find_node(guid);
  if (!node || !fabric.is_switch(*node))
    return fail(Code::kUsage, "node: no switch has GUID 0x{:016x}", guid.value());
  const SwitchId sw(node->value());
  if (!num) return Failure{{sw}, {}};
  const ChannelId channel = fabric.channel_at(sw, *num);
  if (channel == kNoChannel)
    return fail(Code::kUsage, "port: {} port {} is not connected to another switch",
                describe(fabric.node(sw)), num->value());
  return Failure{{}, {channel}};
}

Result<Json> what_if(const Snapshot& snapshot, const Settings& settings, const Failure& failure) {
  const Fabric& fabric = snapshot.fabric;
  const auto choice = engine_choice(settings);
  if (!choice) return forward(choice);
  std::vector<std::string> warnings;
  const auto inputs = routing_inputs(settings, warnings);
  if (!inputs) return forward(inputs);
  const Router router = [&](const Fabric& remaining, const Routes& before, Lfts previous) {
    RoutingOptions options = options_of_sweep(*inputs, settings, remaining);
    options.previous = std::move(previous);
    options.previous_engine = before.engine;
    const VerifyMode mode = settings.verify == "enforce" ? VerifyMode::kEnforce : VerifyMode::kWarn;
    ChainResult chain = route_by_chain(remaining, *choice, std::move(options), mode);
    return Rerouted{std::move(chain.status), std::move(chain.routes), std::move(chain.verdict),
                    chain.route_seconds};
  };
  // If verification is off, the snapshot has no counts of pairs.
  const ReachCount reach = snapshot.verdict.ca_to_ca.pairs > 0
                               ? snapshot.verdict.ca_to_ca
                               : verify(fabric, snapshot.routes, {.threads = 1}).ca_to_ca;
  const std::vector<Loss> losses =
      simulate_failures(fabric, snapshot.routes, reach.arrived, std::span(&failure, 1), router,
                        {.threads = 1, .seed = settings.seed, .matchings = kMatchings});
  const Loss& loss = losses.front();
  Json json{{"sweep", snapshot.sweep},
            {"name", describe(fabric, failure)},
            {"routed", loss.routed},
            {"pairs", reach.arrived},
            {"pairs_cut", loss.pairs_cut}};
  if (!loss.routed) return json;
  json["pairs_lost"] = loss.pairs_lost;
  json["ebb_before"] = rounded(assess_alone(fabric, snapshot.routes, settings).ebb);
  json["ebb_left"] = rounded(loss.ebb);
  json["link_load_max"] = loss.link_load_max;
  json["blocks"] = loss.blocks;
  json["vls"] = loss.vls;
  json["engine"] = loss.engine;
  json["credit_loop"] = loss.credit_loop;
  json["seconds"] = loss.seconds;
  return json;
}

Result<Json> Studies::run(const Fabric& fabric, const Study& study) {
  const std::uint64_t entries = std::uint64_t{fabric.lid_top().value()} * fabric.switch_count();
  if (entries > kEntriesMax)
    return fail(
        Code::kRejected,
        "fabric too large: found {} table entries, expected at most {}; use weft route or weft "
        "simulate on another machine",
        entries, kEntriesMax);
  const std::unique_lock lock(running_, std::try_to_lock);
  if (!lock) return fail(Code::kTimeout, "another study is running: try again");
  Result<Json> result;
  std::exception_ptr thrown;
  std::thread thread([&] {
    lower_own_priority(kStudyNiceness);
    try {
      result = study();
    } catch (...) {
      thrown = std::current_exception();
    }
  });
  thread.join();
  if (thrown) std::rethrow_exception(thrown);
  return result;
}

}  // namespace weft
