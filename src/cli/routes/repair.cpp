// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/routes/repair.h"

#include <algorithm>
#include <tuple>

#include "base/log.h"
#include "cli/output.h"
#include "cli/routes/repair_study.h"
#include "cli/team.h"
#include "congestion/metrics.h"
#include "service/config/options.h"

namespace weft::cli {
namespace {

double us(TimeNs time) { return static_cast<double>(time.count()) / 1e3; }

template <class Value>
Statistics repair_statistics(const std::vector<Repair>& repairs, const Value& value) {
  std::vector<double> values;
  for (const Repair& repair : repairs)
    if (repair.routed_anew) values.push_back(static_cast<double>(value(repair)));
  return statistics(values);
}

std::string name_of(const Fabric& fabric, EndportId endport) {
  return describe(fabric, fabric.endport(endport).port);
}

Json repair_row_json(const Fabric& fabric, const Repair& repair, bool times) {
  Json waiting = Json::array();
  for (const WaitingPair& pair : repair.waiting)
    waiting.push_back({{"from", name_of(fabric, pair.from)}, {"to", name_of(fabric, pair.to)}});
  Json row{{"name", describe(fabric, repair.failure)},
           {"routed_anew", repair.routed_anew},
           {"pairs_cut", repair.pairs_cut},
           {"pairs_noticed", repair.pairs_cut_after_selection},
           {"pairs_waiting", repair.pairs_waiting},
           {"waiting", std::move(waiting)},
           {"pairs_lost", repair.pairs_lost},
           {"credit_loop", repair.credit_loop},
           {"repaired_after_us", us(repair.repaired_after)},
           {"notifications",
            {{"generated", repair.notifications.generated},
             {"sent", repair.notifications.sent},
             {"consumed", repair.notifications.consumed},
             {"passed_on", repair.notifications.passed_on}}},
           {"manager", {{"after_us", us(repair.swept_after)}, {"smps", repair.smps}}}};
  if (times) row["manager"]["seconds"] = repair.seconds;
  return row;
}

/// {"at_once", "played", "switches", "notifying", "roles", "rows"}; "rows" has the order of
/// study.repairs.
Json repair_json(const Fabric& fabric, const RepairStudy& study, const WhatIfArguments& arguments) {
  Json rows = Json::array();
  for (const Repair& repair : study.repairs)
    rows.push_back(repair_row_json(fabric, repair, arguments.times));
  return {{"at_once", arguments.size},
          {"played", study.repairs.size()},
          {"switches", study.switches},
          {"notifying", study.notifying},
          {"roles",
           {{"switches", study.roles.switches},
            {"generate", study.roles.generate},
            {"consume", study.roles.consume},
            {"pass_on", study.roles.pass_on}}},
          {"rows", std::move(rows)}};
}

std::string repair_row_text(const Fabric& fabric, const Repair& repair, bool times) {
  std::string text =
      fmt::format("{:>9} {:>9} {:>9} {:>9} {:>9.2f} {:>9} {:>9} {:>10.2f} {:>7}", repair.pairs_cut,
                  repair.pairs_cut_after_selection, repair.pairs_waiting, repair.pairs_lost,
                  us(repair.repaired_after), repair.notifications.sent,
                  repair.notifications.consumed + repair.notifications.passed_on,
                  us(repair.swept_after), repair.smps);
  if (times) text += fmt::format(" {:>8.4f}", repair.seconds);
  text += "  " + describe(fabric, repair.failure);
  if (!repair.routed_anew) text += " (the subnet manager did not bring the subnet up again)";
  if (repair.credit_loop) text += " (credit loop)";
  text += "\n";
  if (!repair.waiting.empty())
    text += fmt::format("          waiting, for example: {} to {}\n",
                        name_of(fabric, repair.waiting.front().from),
                        name_of(fabric, repair.waiting.front().to));
  return text;
}

std::string repairs_text(const Fabric& fabric, const RepairStudy& study,
                         const WhatIfArguments& arguments) {
  std::string text = fmt::format(
      "failures            {} simulated, {} at a time\n"
      "switches            {} with adaptive routing enabled, {} of them FRN-capable\n"
      "roles               {} pairs of a switch and a LID that generate notifications, {} that "
      "consume, {} that forward them\n",
      study.repairs.size(), arguments.size, study.switches, study.notifying, study.roles.generate,
      study.roles.consume, study.roles.pass_on);
  const auto line = [&](std::string_view name, const auto& value, std::string_view what) {
    const Statistics all = repair_statistics(study.repairs, value);
    text += fmt::format("{:<19} {:.2f} on average, {:.2f} at most, {}\n", name, all.mean, all.most,
                        what);
  };
  line(
      "pairs cut", [](const Repair& r) { return r.pairs_cut; },
      "with a path over a failed element");
  line(
      "pairs noticed", [](const Repair& r) { return r.pairs_cut_after_selection; },
      "still cut with selection among active ports only");
  line(
      "pairs waiting", [](const Repair& r) { return r.pairs_waiting; },
      "still cut after all notifications, until the manager reroutes");
  line(
      "repaired after", [](const Repair& r) { return us(r.repaired_after); },
      "us of the emulator's clock");
  line(
      "notifications", [](const Repair& r) { return r.notifications.sent; },
      "sent, each over one link");
  line(
      "manager after", [](const Repair& r) { return us(r.swept_after); },
      "us of the emulator's clock, without computation");
  line(
      "manager's SMPs", [](const Repair& r) { return r.smps; }, "sent");
  if (arguments.times)
    line(
        "manager computes", [](const Repair& r) { return r.seconds * 1e6; },
        "us: LIDs, routing, verification, table differences");
  text += fmt::format("\n{:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>10} {:>7}", "cut", "noticed",
                      "waiting", "lost", "us", "messages", "used", "manager us", "SMPs");
  if (arguments.times) text += fmt::format(" {:>8}", "seconds");
  text += "  failure\n";
  for (std::size_t i = 0; i < std::min<std::size_t>(study.repairs.size(), arguments.top); ++i)
    text += repair_row_text(fabric, study.repairs[i], arguments.times);
  return text;
}

}  // namespace

Result<SmOptions> manager_options(const Assignments& assignments, Settings& settings,
                                  std::vector<std::string>& warnings) {
  if (const auto status = assign_all(assignments, settings, warnings); !status)
    return forward(status);
  auto options = sm_options(settings, warnings);
  if (!options) return options;
  options->cache_dir.clear();
  options->routing.plain.threads = 1;
  return options;
}

int run_repair(const FabricArgument& argument, const Assignments& assignments, Settings settings,
               const WhatIfArguments& arguments, bool json, const std::string& output) {
  if (arguments.size == 0) return report({Code::kUsage, "--repair: expected --failures N too"});
  std::vector<std::string> warnings;
  const auto options = manager_options(assignments, settings, warnings);
  if (!options) return report(options.error());
  for (const std::string& warning : warnings) log::warn("{}", warning);
  const auto input = load(argument);
  if (!input) return report(input.error());
  const Fabric& fabric = input->fabric;
  const auto failures = failures_of(fabric, arguments, settings.seed);
  if (!failures) return report(failures.error());
  if (!team().is_leader()) return 0;
  EmulatorOptions emulator;
  emulator.adaptive =
      arguments.repair == "mixed" ? AdaptiveSwitches::kMixed : AdaptiveSwitches::kAnswered;
  emulator.notifications = true;
  // Disables the log, because hundreds of managers would write to it.
  const auto level = spdlog::get_level();
  spdlog::set_level(spdlog::level::off);
  auto study =
      study_repairs(fabric, *options, emulator, *failures, static_cast<unsigned>(settings.threads));
  spdlog::set_level(level);
  if (!study) return report(study.error());
  if (study->switches == 0)
    log::warn(
        "--repair: the routes are not adaptive: only the subnet manager restores connectivity");
  std::ranges::stable_sort(study->repairs, std::ranges::greater{}, [](const Repair& repair) {
    return std::tuple(repair.pairs_waiting, repair.repaired_after, repair.pairs_cut);
  });
  const int status = write_to(output, [&](const Append& append) {
    append(json ? dump(repair_json(fabric, *study, arguments))
                : repairs_text(fabric, *study, arguments));
  });
  if (status != 0) return status;
  const bool good = std::ranges::all_of(study->repairs, [](const Repair& repair) {
    return repair.routed_anew && !repair.credit_loop;
  });
  return good ? 0 : 1;
}

}  // namespace weft::cli
