// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/chain/chain.h"

#include <algorithm>
#include <optional>

#include "base/parallel.h"
#include "routing/chain/lanes.h"
#include "routing/chain/placed.h"
#include "routing/deadlock/lanes.h"
#include "routing/engine.h"
#include "routing/tables/destinations.h"
#include "routing/tables/missing_routes.h"

namespace weft {
namespace {

constexpr unsigned kRounds = 3;  // number of limits that use_fewer_vls() tries

std::uint32_t hosts_of(const Fabric& fabric) {
  return static_cast<std::uint32_t>(fabric.hosts().size());
}

/// Runs steps and their fallbacks, and records the outcome.
class Runner {
 public:
  Runner(const Fabric& fabric, const ChainOptions& options)
      : fabric_(fabric), options_(options), vls_max_(lanes_available(fabric, options.vls_max)) {}

  Status run() {
    for (std::size_t i = 0; i < chain().steps.size(); ++i) {
      if (chain().steps[i].is_fallback) continue;
      std::vector<bool> tried(chain().steps.size(), false);
      const bool served = run(i, tried);
      if (!served && placed.empty())
        return fail(Code::kUnroutable, "the first step is required and failed: {}", failures());
    }
    std::ranges::stable_sort(placed, [](const PlacedStep& a, const PlacedStep& b) {
      const auto later = [](const ChainStep& step) {
        return std::pair(step.path_bit > 0, step.id);
      };
      return later(*a.step) < later(*b.step);
    });
    return {};
  }

  /// Repeats steps that use more VLs than the limit of the round. The limit is: first the VLs that
  /// the step needs, then the VLs that remain with one VL for each other step, then an equal share.
  /// Returns false if no step was repeated.
  bool use_fewer_vls(unsigned round) {
    const auto others = static_cast<unsigned>(placed.size()) - 1;
    const auto limit_of = [&](const PlacedStep& step) {
      switch (round) {
        case 0:
          return step.routes.vls_needed;
        case 1:
          return vls_max_ - std::min(vls_max_ - 1, others);
        default:
          return std::max(1u, vls_max_ / (others + 1));
      }
    };
    bool any = false;
    for (PlacedStep& step : placed)
      if (const unsigned limit = limit_of(step); step.routes.vls > limit)
        if (auto again = routes_of(*step.step, limit)) {
          step.routes = std::move(*again);
          any = true;
        }
    return any;
  }

  unsigned vls_max() const { return vls_max_; }
  /// Whether a step uses more VLs than it needs, to spread load.
  bool steps_spread() const {
    return std::ranges::any_of(
        placed, [](const PlacedStep& step) { return step.routes.vls > step.routes.vls_needed; });
  }

  std::string vls_of_steps() const {
    std::string each;
    for (const PlacedStep& step : placed)
      each += fmt::format("{}step {} ({}) {}", each.empty() ? "" : ", ", step.step->id,
                          step.step->engine, step.routes.vls_needed);
    return each;
  }

  std::string failures() const {
    std::string text;
    for (const RoutedStep& step : record)
      if (!step.failed.empty())
        text += fmt::format("{}step {} ({}): {}", text.empty() ? "" : "; ", step.id, step.engine,
                            step.failed);
    return text;
  }

  PlacedSteps placed;
  std::vector<RoutedStep> record;

 private:
  const Chain& chain() const { return *options_.chain; }

  bool run(std::size_t i, std::vector<bool>& tried) {
    if (tried[i]) return false;
    tried[i] = true;
    const ChainStep& step = chain().steps[i];
    auto routes = routes_of(step, vls_max_);
    RoutedStep routed_step{
        step.id, step.engine, step.topology, step.part.switch_count(), hosts_of(step.part), {}};
    if (!routes) {
      routed_step.failed = routes.error().message;
      record.push_back(std::move(routed_step));
      return std::ranges::any_of(step.fallbacks,
                                 [&](std::size_t other) { return run(other, tried); });
    }
    record.push_back(std::move(routed_step));
    PlacedStep done{&step, std::move(*routes), {}};
    done.part_of.assign(fabric_.switch_count(), PlacedStep::kElsewhere);
    for (std::uint32_t s = 0; s < step.part.switch_count(); ++s)
      done.part_of[whole(step, SwitchId(s)).value()] = s;
    placed.push_back(std::move(done));
    return true;
  }

  SwitchId whole(const ChainStep& step, SwitchId sw) const {
    return SwitchId(fabric_.find_node(step.part.node(sw).node_guid)->value());
  }

  Result<Routes> routes_of(const ChainStep& step, unsigned vls_max) const {
    if (!step.obstacle.empty()) return fail(Code::kUnroutable, "{}", step.obstacle);
    const Engine* engine = find_engine(step.engine);
    if (engine == nullptr) return fail(Code::kUsage, "no engine of that name");
    RoutingOptions options = step.options;
    options.threads = options_.threads;
    options.vls_max = vls_max;
    options.ignore_replies = options_.ignore_replies;
    options.adaptive.reset();  // groups are computed for the whole fabric
    if (options_.previous) {
      options.previous = active_tables(step);
      options.previous_engine = step.engine;
    }
    return run_engine(*engine, step.part, options);
  }

  Lfts active_tables(const ChainStep& step) const {
    const Fabric& part = step.part;
    Lfts lfts(part.switch_count(), part.lid_top());
    for (std::uint32_t s = 0; s < part.switch_count(); ++s) {
      const SwitchId from = whole(step, SwitchId(s));
      for (const Endport& to : part.endports())
        if (to.lid != kLidNone)
          lfts.set(SwitchId(s), to.lid, options_.previous->port(from, to.lid));
    }
    return lfts;
  }

  const Fabric& fabric_;
  const ChainOptions& options_;
  const unsigned vls_max_;
};

/// Writes the tables of all steps. Entries of later steps replace entries of earlier steps.
void write_tables(const Fabric& fabric, const PlacedSteps& steps, unsigned threads, Lfts& lfts,
                  Owners& owners) {
  const auto repeat_first_lids = [&](SwitchId sw) {
    for (const Endport& to : fabric.endports())
      for (unsigned offset = 1; offset < lid_count(to); ++offset) {
        lfts.set(sw, lid_at(to, offset), lfts.port(sw, to.lid));
        owners.set(sw, lid_at(to, offset), owners.of(sw, to.lid));
      }
  };
  threads = threads_worth(std::uint64_t{fabric.switch_count()} * fabric.endport_count(), threads);
  parallel_for(fabric.switch_count(), threads, [&](std::size_t s) {
    const SwitchId sw(static_cast<std::uint32_t>(s));
    bool repeated = false;
    for (std::size_t place = 0; place < steps.size(); ++place) {
      const PlacedStep& step = steps[place];
      if (step.step->path_bit > 0 && !repeated) {
        repeat_first_lids(sw);
        repeated = true;
      }
      if (!step.has(sw)) continue;
      for (const Endport& to : step.step->part.endports()) {
        if (to.lid == kLidNone) continue;
        const PortNum port = step.routes.lfts.port(step.at(sw), to.lid);
        if (port == kNoRoute) continue;
        lfts.set(sw, to.lid, port);
        owners.set(sw, to.lid, static_cast<std::uint8_t>(place));
      }
    }
    if (!repeated) repeat_first_lids(sw);
  });
}

/// Assigns lanes to tables that are not deadlock-free on one lane. Repeats steps with fewer VLs if
/// all steps together need too many VLs. Spreads the paths over further VLs if no step changes the
/// VL on a path, and a step uses more VLs than it needs.
Status assign_vls(const Fabric& fabric, const ChainOptions& options, Runner& runner,
                  Routes& routes) {
  for (unsigned round = 0;; ++round) {
    routes.lfts = Lfts(fabric.switch_count(), fabric.lid_top());
    Owners owners(fabric.switch_count(), fabric.lid_top());
    write_tables(fabric, runner.placed, options.threads, routes.lfts, owners);
    add_missing_routes(fabric, routes.lfts);  // lanes are assigned to these paths, too
    auto lanes = assign_lanes(fabric, runner.placed, owners, routes.lfts, options.ignore_replies);
    if (lanes && lanes->vls <= runner.vls_max()) {
      routes.vls = routes.vls_needed = lanes->vls;
      routes.sl2vl = std::move(lanes->sl2vl);
      if (lanes->fixed_vls && runner.steps_spread()) {
        routes.vls =
            spread_over_lanes(fabric, lanes->sl_of, lanes->vls, runner.vls_max(), options.threads);
        routes.sl2vl = Sl2Vl(modulo_map(routes.vls));
      }
      routes.path_sl = PathSl::by_switch_and_lid(fabric.switch_count(), fabric.lid_top(),
                                                 std::move(lanes->sl_of));
      return {};
    }
    bool again = false;
    while (round < kRounds && !(again = runner.use_fewer_vls(round))) ++round;
    if (again) continue;
    if (!lanes) return forward(lanes);
    return fail(Code::kOutOfVls,
                "the steps need {} VLs together, expected at most {}; VLs of each step alone: {}",
                lanes->vls, runner.vls_max(), runner.vls_of_steps());
  }
}

}  // namespace

ChainOptions ChainOptions::from(const RoutingOptions& all) {
  return {.threads = all.threads,
          .vls_max = all.vls_max,
          .ignore_replies = all.ignore_replies,
          .chain = all.chain.get(),
          .previous = all.previous.get()};
}

Result<Routes> route_chain(const Fabric& fabric, const ChainOptions& options) {
  if (!options.chain || options.chain->steps.empty())
    return fail(Code::kUsage, "chain needs steps: give --rch_policy_file FILE");
  Runner runner(fabric, options);
  if (const auto status = runner.run(); !status) return forward(status);
  Routes routes;
  routes.engine = "chain";
  routes.lfts = Lfts(fabric.switch_count(), fabric.lid_top());
  {
    Owners owners(fabric.switch_count(), fabric.lid_top());
    write_tables(fabric, runner.placed, options.threads, routes.lfts, owners);
  }
  const bool plain = std::ranges::all_of(
      runner.placed, [](const PlacedStep& step) { return step.routes.vls_needed == 1; });
  if (!plain || !is_acyclic_on_one_lane(fabric, Turns(fabric), routes.lfts, options.threads))
    if (const auto status = assign_vls(fabric, options, runner, routes); !status)
      return forward(status);
  for (const PlacedStep& step : runner.placed)
    for (const std::string& note : step.routes.notes)
      routes.notes.push_back(
          fmt::format("step {} ({}): {}", step.step->id, step.step->engine, note));
  routes.steps = std::move(runner.record);
  return routes;
}

}  // namespace weft
