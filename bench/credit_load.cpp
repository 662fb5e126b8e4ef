// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Simulates packets with credits (tests/credits) on the routes in the dumps of any subnet manager,
// for bench/experiments. Prints one JSON object with the number of VLs in use and, for requests
// alone and for requests with replies, the length of the credit loop that the verifier finds (0:
// none), the number of seeds, and the number of seeds that end in a deadlock. With --saturation the
// object also has the throughput when all hosts send continuously, and the figures of the flow
// model. If a path or a VL is missing, the object has only the numbers of pairs, of lost pairs and
// of ports without the VL.
//   credit_load FABRIC --lfts FILE [--psl FILE] [--slvl FILE] [--seeds N] [--uniform-seeds N]
//               [--flits N] [--saturation] [--buffers N] [--matchings N] [--window N]
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <iostream>
#include <string>

#include "congestion/quality/quality.h"
#include "credits/cycle_traffic.h"
#include "credits/random_traffic.h"
#include "fabric/formats/read.h"
#include "routes/dump/read.h"

namespace weft::credits {
namespace {

constexpr std::uint32_t kFlits = 16;  // flits of a packet

struct LoadOptions {
  std::string fabric, lfts, psl, slvl;
  unsigned seeds = 20;
  unsigned uniform_seeds = 2;
  CreditSimulator::Time flits = 50'000;
  bool saturation = false;
  unsigned buffers = 16;
  unsigned matchings = 10;
  CreditSimulator::Time window = 30'000;
};

Result<Routes> read_routes(const Fabric& fabric, const LoadOptions& options) {
  Warnings warnings;
  Routes routes;
  auto lfts = read_lfts(fabric, options.lfts, warnings);
  if (!lfts) return forward(lfts);
  routes.lfts = std::move(*lfts);
  if (!options.psl.empty()) {
    auto path_sl = read_psl(fabric, options.psl, warnings);
    if (!path_sl) return forward(path_sl);
    routes.path_sl = std::move(*path_sl);
  }
  if (!options.slvl.empty()) {
    auto sl2vl = read_slvl(fabric, options.slvl, warnings);
    if (!sl2vl) return forward(sl2vl);
    routes.sl2vl = std::move(*sl2vl);
  }
  return routes;
}

/// Number of VLs that requests or replies of hosts use on links between switches.
unsigned vls_of(const Fabric& fabric, const HostPaths& paths) {
  std::uint32_t vls = 0;
  for (std::size_t from = 0; from < paths.hosts().size(); ++from)
    for (std::size_t to = 0; to < paths.hosts().size(); ++to)
      if (from != to)
        for (const LanePath* path : {&paths.request(from, to), &paths.reply(from, to)})
          for (const LaneHop& hop : *path)
            if (hop.link < fabric.channel_count()) vls |= 1u << hop.vl;
  return static_cast<unsigned>(std::popcount(vls));
}

/// The number of seeds that end in a deadlock.
unsigned deadlocks(const Fabric& fabric, const LoadOptions& options, unsigned seeds,
                   const std::vector<EndportId>& sources, const Traffic& traffic) {
  unsigned found = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    CreditSimulator simulator(fabric, sources, traffic,
                              {.flits = kFlits, .buffer = 1, .seed = seed});
    simulator.run(options.flits);
    if (simulator.drain().packets > 0) ++found;
  }
  return found;
}

/// Returns as JSON the length of the cycle that the verifier finds, the number of seeds, and the
/// number of seeds that end in a deadlock. The flows are the flows on the cycle, or flows from all
/// hosts to all hosts if there is no cycle.
std::string deadlocks_json(const Fabric& fabric, const Routes& routes, const HostPaths& paths,
                           const LoadOptions& options, bool replies) {
  const Verdict verdict = verify(fabric, routes, {.ignore_replies = !replies});
  const unsigned seeds = verdict.has_credit_loop() ? options.seeds : options.uniform_seeds;
  unsigned found = 0;
  if (verdict.has_credit_loop()) {
    const CycleTraffic cycle(fabric, routes, verdict.credit_loop);
    found = deadlocks(fabric, options, seeds, cycle.sources(), cycle.traffic());
  } else {
    found = deadlocks(fabric, options, seeds, paths.hosts(), uniform_traffic(paths, replies));
  }
  return fmt::format(R"({{"loop": {}, "seeds": {}, "deadlocks": {}}})", verdict.credit_loop.size(),
                     seeds, found);
}

/// Throughput and the figures of the flow model as JSON. The buffers of a link are divided among
/// the VLs in use, so that routes with several VLs do not have more buffer space.
std::string saturation_json(const Fabric& fabric, const Routes& routes, const HostPaths& paths,
                            const LoadOptions& options, unsigned vls) {
  const CreditOptions credits{.flits = kFlits, .buffer = std::max(1u, options.buffers / vls)};
  double matched = 0;
  for (unsigned seed = 0; seed < options.matchings; ++seed)
    matched += throughput(fabric, paths, matched_traffic(paths, seed), credits, options.window / 4);
  const Quality quality = assess(fabric, routes);
  return fmt::format(
      R"("alltoall": {:.4f}, "ebb": {:.4f}, "uniform": {:.4f}, "matched": {:.4f}, )",
      quality.alltoall, quality.ebb,
      throughput(fabric, paths, uniform_traffic(paths, false), credits, options.window),
      matched / std::max(1u, options.matchings));
}

Status run(const LoadOptions& options) {
  const auto input = read_fabric(options.fabric);
  if (!input) return forward(input);
  const Fabric& fabric = input->fabric;
  const auto routes = read_routes(fabric, options);
  if (!routes) return forward(routes);
  const Verdict verdict = verify(fabric, *routes, {});
  const std::uint64_t lost = verdict.ca_to_ca.pairs - verdict.ca_to_ca.arrived;
  if (lost > 0 || verdict.ca_to_ca.pairs == 0 || verdict.lanes_missing > 0) {
    std::cout << fmt::format(R"({{"pairs": {}, "lost": {}, "lanes_missing": {}}})",
                             verdict.ca_to_ca.pairs, lost, verdict.lanes_missing)
              << std::endl;
    return {};
  }
  const HostPaths paths(fabric, *routes);
  const unsigned vls = vls_of(fabric, paths);
  std::cout
      << fmt::format(
             R"({{"pairs": {}, "lost": 0, "lanes_missing": 0, "vls": {}, {}"requests": {}, "replies": {}}})",
             verdict.ca_to_ca.pairs, vls,
             options.saturation ? saturation_json(fabric, *routes, paths, options, vls) : "",
             deadlocks_json(fabric, *routes, paths, options, false),
             deadlocks_json(fabric, *routes, paths, options, true))
      << std::endl;
  return {};
}

}  // namespace
}  // namespace weft::credits

int main(int argc, char** argv) {
  using namespace weft;
  CLI::App app("Packets with credits on the routes in dumps of a subnet manager");
  credits::LoadOptions options;
  app.add_option("fabric", options.fabric, "Fabric with LIDs")->required();
  app.add_option("--lfts", options.lfts, "Forwarding tables")->required();
  app.add_option("--psl", options.psl, "SL of each path (default: 0)");
  app.add_option("--slvl", options.slvl, "SLtoVL tables (default: every SL on VL 0)");
  app.add_option("--seeds", options.seeds, "Runs of the flows of a credit loop (default: 20)")
      ->check(CLI::PositiveNumber);
  app.add_option("--uniform-seeds", options.uniform_seeds,
                 "Runs of all hosts to all, if there is no credit loop (default: 2)")
      ->check(CLI::PositiveNumber);
  app.add_option("--flits", options.flits,
                 "Flit times of each run to find deadlocks (default: 50000)");
  app.add_flag("--saturation", options.saturation, "Measure the throughput too");
  app.add_option("--buffers", options.buffers,
                 "Packets that a link's buffers hold, for all VLs together (default: 16)")
      ->check(CLI::PositiveNumber);
  app.add_option("--matchings", options.matchings, "Random matchings (default: 10)")
      ->check(CLI::PositiveNumber);
  app.add_option("--window", options.window,
                 "Flit times of the throughput of uniform traffic, after as many of warm-up; a "
                 "quarter for each matching (default: 30000)")
      ->check(CLI::Range(1000u, 100'000'000u));
  CLI11_PARSE(app, argc, argv);
  spdlog::set_level(spdlog::level::err);
  if (const Status status = credits::run(options); !status) {
    std::cerr << fmt::format("credit_load: {}\n", status.error().message);
    return exit_status(status.error());
  }
  return 0;
}
