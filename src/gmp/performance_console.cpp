// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "gmp/performance_console.h"

#include "base/text.h"
#include "gmp/counter_dump.h"

namespace weft {
namespace {

constexpr unsigned kSweepTimeMax = 1'000'000;  // seconds, as perfmgr_sweep_time_s

std::string status(const PerformanceManager& manager) {
  const PerformanceOptions& options = manager.options();
  const auto yes = [](bool value) { return value ? "TRUE" : "FALSE"; };
  return fmt::format(
      "Performance Manager status:\n"
      "state                        : {}\n"
      "sweep state                  : {}\n"
      "sweep time                   : {}s\n"
      "outstanding queries/max      : {}/{}\n"
      "remove missing nodes from DB : {}\n"
      "query ClassPortInfo          : {}\n",
      options.perfmgr ? "Enabled" : "Disabled", manager.is_sweeping() ? "Active" : "Sleeping",
      options.sweep_time.count(), manager.outstanding(), options.client.outstanding_max,
      yes(options.rm_nodes), yes(options.query_cpi));
}

std::string change(PerformanceManager& manager, bool PerformanceOptions::*flag, bool value) {
  PerformanceOptions options = manager.options();
  options.*flag = value;
  manager.set_options(std::move(options));
  return {};
}

std::string set_sweep_time(PerformanceManager& manager, const std::string& seconds) {
  if (seconds.empty()) return "sweep_time requires a time period (in seconds) to be specified\n";
  const auto value = parse_number<unsigned>(seconds);
  if (!value || *value == 0 || *value > kSweepTimeMax)
    return fmt::format("{}: expected 1 to {} seconds\n", weft::quoted(seconds), kSweepTimeMax);
  PerformanceOptions options = manager.options();
  options.sweep_time = std::chrono::seconds(*value);
  manager.set_options(std::move(options));
  return {};
}

std::string dump(const PerformanceManager& manager, const std::string& form) {
  if (!form.empty() && form != "mach")
    return fmt::format("{}: expected mach or no argument\n", weft::quoted(form));
  if (manager.options().dump_file.empty()) return "event_db_dump_file is not set\n";
  const Status written = manager.dump(form == "mach");
  return written ? std::string() : written.error().message + "\n";
}

template <class Text>
std::string show(const PerformanceManager& manager, const std::string& what, Text text) {
  return text(manager.store(), parse_counter_filter(what))
      .value_or(fmt::format("Node {} not found...\n", weft::quoted(what)));
}

}  // namespace

std::string answer_console(PerformanceManager& manager, std::span<const std::string> words) {
  using Options = PerformanceOptions;
  if (words.empty()) return status(manager);
  const std::string& what = words[0];
  const std::string argument = words.size() > 1 ? words[1] : std::string();
  if (what == "enable") return change(manager, &Options::perfmgr, true);
  if (what == "disable") return change(manager, &Options::perfmgr, false);
  if (what == "set_rm_nodes") return change(manager, &Options::rm_nodes, true);
  if (what == "clear_rm_nodes") return change(manager, &Options::rm_nodes, false);
  if (what == "set_query_cpi") return change(manager, &Options::query_cpi, true);
  if (what == "clear_query_cpi") return change(manager, &Options::query_cpi, false);
  if (what == "sweep_time") return set_sweep_time(manager, argument);
  if (what == "dump_counters") return dump(manager, argument);
  if (what == "dump_redir")
    return "\nRedirection Table\n-----------------\n" + manager.redirections();
  if (what == "print_counters" || what == "pc")
    return show(manager, argument,
                [](const auto& store, const auto& filter) { return counters_text(store, filter); });
  if (what == "print_errors" || what == "pe")
    return show(manager, argument,
                [](const auto& store, const auto& filter) { return errors_text(store, filter); });
  if (what == "sweep") {
    manager.request_sweep();
    return "sweep initiated...\n";
  }
  if (what == "clear_counters") {
    manager.clear_counters();
    return {};
  }
  if (what == "clear_redir") {
    manager.clear_redirections();
    return {};
  }
  if (what == "clear_inactive")
    return fmt::format("Removed {} nodes from Database\n", manager.forget_inactive());
  return fmt::format("{}: option not found\n", weft::quoted(what));
}

}  // namespace weft
