// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/sm/first_sweep.h"

#include "cli/common.h"
#include "cli/routes/quality_text.h"
#include "congestion/quality/quality.h"
#include "service/config/options.h"
#include "service/http/data/planes.h"

namespace weft::cli {
namespace {

double per_second(std::uint64_t count, double seconds) {
  return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

double wire_seconds(const SweepReport& sweep) {
  return sweep.seconds.observe + sweep.seconds.read_tables + sweep.seconds.apply;
}

Json transition_json(const TransitionReport& transition) {
  return {{"rounds", transition.rounds},
          {"stages", transition.stages},
          {"extra_writes", transition.extra_writes},
          {"lids_ordered", transition.ordered_lids},
          {"lids_without_order", transition.unordered_lids},
          {"dependencies",
           {{"while_tables_change", name(transition.tables)},
            {"channels_on_cycles", transition.table_channels},
            {"channels_on_cycles_of_unicast", transition.table_channels_unicast},
            {"rounds_exposed", transition.exposed_rounds},
            {"until_new_sls", name(transition.lanes)},
            {"channels_on_cycles_until_new_sls", transition.lane_channels},
            {"channels_on_cycles_of_unicast_until_new_sls", transition.lane_channels_unicast},
            {"sl_changes", transition.sl_changes}}},
          {"seconds", transition.seconds}};
}

Json sweep_json(const SubnetManager& sm, const Settings& settings, const Quality& quality) {
  const SweepReport& sweep = sm.last_report();
  const auto choice = engine_choice(settings);
  Json json{{"up", sweep.up},
            {"error", sweep.error},
            {"emulated", settings.emulated},
            {"requested", choice ? requested_engines(settings, *choice) : settings.routing_engine},
            {"engine", nullptr},
            {"fallbacks", attempts_json(sweep.engines_failed)},
            {"routes_remembered", sweep.routes_remembered},
            {"smps",
             {{"sent", sweep.smps.sent},
              {"answered", sweep.smps.answered},
              {"retried", sweep.smps.retried},
              {"timed_out", sweep.smps.timed_out},
              {"bad_status", sweep.smps.bad_status},
              {"per_second", per_second(sweep.smps.sent, wire_seconds(sweep))}}},
            {"lft_blocks_written", sweep.applied.done_in(Phase::kTables)},
            {"pkey_blocks_written", sweep.applied.done_in(Phase::kPkeys)},
            {"sl2vl_written",
             sweep.applied.done_in(Phase::kSl2Vl) + sweep.applied.done_in(Phase::kSl2VlAtOnce)},
            {"vl_arb_written", sweep.applied.done_in(Phase::kVlArb)},
            {"settings_failed", sweep.applied.failed},
            {"adaptive",
             {{"switches", sweep.adaptive.on},
              {"notifying", sweep.adaptive.notifying},
              {"notification_blocks_written", sweep.adaptive.notifications},
              {"group_blocks_written", sweep.adaptive.groups},
              {"group_copies_written", sweep.adaptive.copies},
              {"entry_blocks_written", sweep.adaptive.entries},
              {"weight_blocks_written", sweep.adaptive.weights},
              {"private_table_switches", sweep.adaptive.private_switches},
              {"private_table_blocks_written", sweep.adaptive.private_blocks},
              {"errors", sweep.adaptive.errors},
              {"ended", sweep.adaptive.ended}}},
            {"planar_devices", http_data::planar_devices(sweep.planes)},
            {"fnm", http_data::fnm(sweep.planes)},
            {"transition", transition_json(sweep.transition)},
            {"seconds",
             {{"observe", sweep.seconds.observe},
              {"read_tables", sweep.seconds.read_tables},
              {"lids", sweep.seconds.lids},
              {"route", sweep.seconds.route},
              {"verify", sweep.seconds.verify},
              {"diff", sweep.seconds.diff},
              {"apply", sweep.seconds.apply}}},
            {"warnings", sweep.warnings}};
  if (const auto snapshot = sm.snapshot()) {
    json["engine"] = snapshot->routes.engine;
    json["vls"] = snapshot->routes.vls;
    json["lanes_programmed"] = snapshot->lanes.is_set();
    json["notes"] = snapshot->routes.notes;
    json["steps"] = steps_json(snapshot->routes.steps);
    json["fabric"] = fabric_json(snapshot->fabric);
    json["adaptive"]["routes"] = adaptive_json(snapshot->routes);
    json["verify"] = verdict_json(snapshot->fabric, snapshot->verdict, sweep.planes.stated);
    json["quality"] = quality_json(quality);
  }
  json["peak_rss_bytes"] = peak_rss_bytes();
  return json;
}

std::string sweep_text(const SubnetManager& sm, const Quality& quality) {
  const SweepReport& sweep = sm.last_report();
  const auto snapshot = sm.snapshot();
  const Fabric& fabric = snapshot->fabric;
  std::string text = sweep.up ? "SUBNET UP\n" : "the subnet is not up: " + sweep.error + "\n";
  text += fmt::format("fabric              {} hosts, {} switches, {} links\n", fabric.ca_count(),
                      fabric.switch_count(), fabric.link_count());
  text += fnm_text(fabric);
  text += fmt::format(
      "SMPs                {} sent, {} retried, {:.0f} per second; {} table blocks written\n",
      sweep.smps.sent, sweep.smps.retried, per_second(sweep.smps.sent, wire_seconds(sweep)),
      sweep.applied.done_in(Phase::kTables));
  text += fmt::format(
      "time                {:.3f} s: discover {:.3f}, route {:.3f}, verify {:.3f}, program "
      "{:.3f}\n",
      wire_seconds(sweep) + sweep.seconds.route + sweep.seconds.verify, sweep.seconds.observe,
      sweep.seconds.route, sweep.seconds.verify, sweep.seconds.apply);
  for (const EngineAttempt& attempt : sweep.engines_failed)
    text += fmt::format("{:<19} failed: {}\n", attempt.engine, attempt.reason);
  text += fmt::format("routed by           {}, {} VL{}\n", snapshot->routes.engine,
                      snapshot->routes.vls, snapshot->routes.vls == 1 ? "" : "s");
  text += steps_text(snapshot->routes.steps);
  text += quality_text(quality);
  if (snapshot->routes.adaptive)
    text += fmt::format("adaptive switches   {} of {}, {} of them send fault notifications\n",
                        sweep.adaptive.on, fabric.switch_count(), sweep.adaptive.notifying);
  return text + adaptive_text(snapshot->routes) +
         verdict_text(fabric, snapshot->verdict, sweep.planes.stated);
}

}  // namespace

int report_first_sweep(const SubnetManager& sm, const SmArguments& arguments,
                       const Settings& settings) {
  const auto snapshot = sm.snapshot();
  if (!snapshot) {
    if (arguments.json) print(sweep_json(sm, settings, {}));
    return report({Code::kUnroutable, sm.last_report().error});
  }
  if (arguments.json || !arguments.emulate.empty()) {
    const Quality quality = assess(snapshot->fabric, snapshot->routes,
                                   {.threads = static_cast<unsigned>(settings.threads)});
    if (arguments.json) {
      print(sweep_json(sm, settings, quality));
    } else {
      append_to_stdout(sweep_text(sm, quality));
    }
  } else {
    append_to_stdout(sm.last_report().up ? "SUBNET UP\n" : "Errors during initialization\n");
  }
  return sm.last_report().up ? 0 : 1;
}

}  // namespace weft::cli
