// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Runs simulations, each with a plan drawn from a seed. Usage:
//   simulation --seconds N [--first SEED] [--threads T] [--replicated|--private|--current]
//     new seeds for N seconds
//   simulation --seed SEED [--replicated|--private|--current] [--only I,J,..] [--spec SPEC]
//   [--uniform] [-v]
//     one seed. --only: only these faults of the plan, by number. --spec: another fabric.
//     --uniform: devices of one kind
//   simulation --failovers N [--seed SEED]            kills the master N times (failovers.h)
//   simulation --hours N [--seed SEED] [--spec SPEC]  faults of an ordinary cluster (long_run.h)
// With --seconds, simulations run on all cores. A failing seed is then reduced to fewer faults, and
// printed with the command that reproduces the failure. The exit status after a failure is 1.
#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <iostream>
#include <mutex>
#include <thread>

#include "base/log.h"
#include "failovers.h"
#include "long_run.h"
#include "world.h"

namespace weft::simulation {
namespace {

constexpr double kShrinkSeconds = 120;

/// The plans from which a seed selects one.
enum class Worlds : std::uint8_t { kAny, kReplicated, kPrivate, kCurrent };

/// A seed, the faults of its plan that are used, and its fabric.
struct PlanSelection {
  std::uint64_t seed = 0;
  std::vector<std::size_t> faults{};
  std::string spec{};    // empty: the spec of the plan
  bool uniform = false;  // all devices are of one kind, regardless of the plan
  Worlds worlds = Worlds::kAny;
  WorldPlan drawn() const {
    return worlds == Worlds::kReplicated ? draw_replicated(seed)
           : worlds == Worlds::kPrivate  ? draw_private(seed)
           : worlds == Worlds::kCurrent  ? draw_current(seed)
                                         : draw(seed);
  }
};

WorldPlan plan_of(const PlanSelection& selection) {
  WorldPlan plan = selection.drawn();
  std::vector<Fault> kept;
  for (const std::size_t i : selection.faults)
    if (i < plan.faults.size()) kept.push_back(plan.faults[i]);
  plan.faults = std::move(kept);
  if (!selection.spec.empty()) plan.spec = selection.spec;
  if (selection.uniform) make_uniform(plan);
  return plan;
}

PlanSelection all_of(std::uint64_t seed, Worlds worlds) {
  PlanSelection selection{.seed = seed, .worlds = worlds};
  for (std::size_t i = 0; i < selection.drawn().faults.size(); ++i) selection.faults.push_back(i);
  return selection;
}

std::string line_of(const PlanSelection& selection) {
  std::string line = fmt::format("simulation --seed {}", selection.seed);
  if (selection.faults.size() != selection.drawn().faults.size()) {
    line += " --only ";
    for (std::size_t i = 0; i < selection.faults.size(); ++i)
      line += fmt::format("{}{}", i == 0 ? "" : ",", selection.faults[i]);
    if (selection.faults.empty()) line += "none";
  }
  if (!selection.spec.empty()) line += fmt::format(" --spec {}", selection.spec);
  if (selection.worlds == Worlds::kReplicated) line += " --replicated";
  if (selection.worlds == Worlds::kPrivate) line += " --private";
  if (selection.worlds == Worlds::kCurrent) line += " --current";
  if (selection.uniform && !is_uniform(selection.drawn())) line += " --uniform";
  return line;
}

/// The text of a failure without hexadecimal digits and periods. Failures with equal texts count as
/// the same.
std::string kind_of(const Outcome& outcome) {
  std::string text = outcome.failure;
  std::erase_if(
      text, [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0 || c == '.'; });
  return text;
}

/// Reduces a failing selection: makes all devices one kind, removes one fault after another, and
/// selects a smaller fabric. A reduction is kept if the simulation fails with the same text, a
/// smaller fabric if the simulation fails at all. Stops after kShrinkSeconds.
PlanSelection shrink(PlanSelection selection, const Outcome& outcome) {
  const Stopwatch watch;
  const auto is_time_up = [&] { return watch.seconds() > kShrinkSeconds; };
  const auto same = [&](const PlanSelection& other) {
    return kind_of(run(plan_of(other), is_time_up)) == kind_of(outcome);
  };
  PlanSelection uniform = selection;
  uniform.uniform = true;
  if (!is_uniform(selection.drawn()) && same(uniform)) selection = std::move(uniform);
  for (std::size_t i = selection.faults.size(); i-- > 0;) {
    PlanSelection less = selection;
    less.faults.erase(less.faults.begin() + static_cast<std::ptrdiff_t>(i));
    if (same(less)) selection = std::move(less);
  }
  for (const char* spec : {"fattree2:k=4", "ring:n=5,hosts=2", "torus:3x3,hosts=2"}) {
    PlanSelection smaller = selection;
    smaller.spec = spec;
    if (selection.spec.empty() && selection.drawn().spec != spec &&
        !run(plan_of(smaller), is_time_up).failure.empty())
      return smaller;
  }
  return selection;
}

struct Campaign {
  std::mutex mutex;
  std::uint64_t seeds = 0, failed = 0, cut_short = 0, mads = 0, faults = 0;
  TimeNs virtual_time{};
  Coverage coverage;

  void add(const Outcome& outcome) {
    const std::lock_guard lock(mutex);
    ++(outcome.cut_short ? cut_short : seeds);
    mads += outcome.mads;
    faults += outcome.faults;
    virtual_time += outcome.virtual_time;
    failed += outcome.failure.empty() ? 0 : 1;
    for (const auto& [what, count] : outcome.coverage) coverage[what] += count;
  }
  void print(const std::string& text) {
    const std::lock_guard lock(mutex);
    std::cout << text << std::flush;
  }
};

/// State changes that the election allows, in the format of note_states().
std::vector<std::string> possible_states() {
  std::vector<std::string> names;
  for (const SmState from :
       {SmState::kNotActive, SmState::kDiscovering, SmState::kStandby, SmState::kMaster})
    for (std::size_t event = 0; event < kSmEventCount; ++event)
      if (const auto to = next_state(from, static_cast<SmEvent>(event)); to && *to != from) {
        std::string what = fmt::format("state {} to {}", weft::name(from), weft::name(*to));
        if (std::ranges::find(names, what) == names.end()) names.push_back(std::move(what));
      }
  return names;
}

void print_summary(const Campaign& campaign, double seconds) {
  std::cout << fmt::format(
      "{} seeds, {} failed; {} interrupted by the time limit; {:.1f} virtual hours in {:.0f} s; "
      "{} MADs, {} faults\n",
      campaign.seeds, campaign.failed, campaign.cut_short,
      std::chrono::duration<double>(campaign.virtual_time).count() / 3600, seconds, campaign.mads,
      campaign.faults);
  for (const auto& [what, count] : campaign.coverage)
    std::cout << fmt::format("{:>14}  {}\n", count, what);
  for (const std::string& what : possible_states())
    if (!campaign.coverage.contains(what)) std::cout << fmt::format("{:>14}  {}\n", "never", what);
}

int run_campaign(double seconds, std::uint64_t first, unsigned threads, Worlds worlds) {
  const Stopwatch watch;
  std::atomic<std::uint64_t> next = first;
  Campaign campaign;
  const auto work = [&] {
    while (watch.seconds() < seconds) {
      const std::uint64_t seed = next++;
      const PlanSelection all = all_of(seed, worlds);
      const WorldPlan plan = plan_of(all);
      const Outcome outcome = run(plan, [&] { return watch.seconds() > seconds; });
      campaign.add(outcome);
      if (outcome.failure.empty()) continue;
      campaign.print(fmt::format("FAILED: {}\n  {}\n", line_of(all), outcome.failure));
      const PlanSelection least = shrink(all, outcome);
      campaign.print(fmt::format("reduced: {}\n  {}\n{}", line_of(least),
                                 run(plan_of(least)).failure, describe(plan_of(least))));
    }
  };
  std::vector<std::jthread> workers;
  for (unsigned t = 0; t < threads; ++t) workers.emplace_back(work);
  workers.clear();
  print_summary(campaign, watch.seconds());
  return campaign.failed == 0 ? 0 : 1;
}

int run_one(PlanSelection selection, bool verbose) {
  const WorldPlan plan = plan_of(selection);
  std::cout << describe(plan);
  if (verbose) spdlog::set_level(spdlog::level::debug);
  const Outcome outcome = run(plan);
  std::cout << fmt::format(
      "{} MADs, {} faults, {:.1f} s, fingerprint {:016x}\n{}\n", outcome.mads, outcome.faults,
      std::chrono::duration<double>(outcome.virtual_time).count(), outcome.fingerprint,
      outcome.failure.empty() ? "passed" : "FAILED: " + outcome.failure);
  return outcome.failure.empty() ? 0 : 1;
}

int print_failovers(unsigned kills, std::uint64_t seed) {
  const Stopwatch watch;
  const FailoverFigures figures = run_failovers({.seed = seed, .kills = kills});
  std::cout << fmt::format(
      "{} masters killed in {:.0f} s: {} registrations compared, {} changes acknowledged, {} "
      "requests repeated, at most {:.2f} virtual seconds until the standby had the subnet up\n{}\n",
      figures.kills, watch.seconds(), figures.compared, figures.changes, figures.uncertain,
      figures.seconds_max,
      figures.failure.empty() ? "passed"
                              : fmt::format("FAILED: {}, seed {}", figures.failure, seed));
  return figures.failure.empty() ? 0 : 1;
}

}  // namespace
}  // namespace weft::simulation

int main(int argc, char** argv) {
  using namespace weft::simulation;
  CLI::App app("Simulate the subnet manager with faults, by seed");
  double seconds = 0;
  std::uint64_t first =
      static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  std::uint64_t seed = 0;
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  double hours = 0;
  unsigned kills = 0;
  std::string only, spec;
  bool verbose = false, uniform = false, replicated = false, private_tables = false,
       current = false;
  app.add_option("--seconds", seconds, "Run new seeds for this time, in seconds (default: 0)");
  app.add_option("--first", first, "First seed (default: the time)");
  app.add_option("--threads", threads, "Seeds to run in parallel (default: number of cores)")
      ->check(CLI::PositiveNumber);
  auto* one =
      app.add_option("--seed", seed, "Run this seed (default with --failovers and --hours: 0)");
  app.add_option("--failovers", kills,
                 "Number of masters to kill on a fabric with many registrations (default: 0)");
  app.add_option(
      "--hours", hours,
      "Run the faults of an ordinary cluster for this time, in virtual hours (default: 0)");
  app.add_option(
      "--only", only,
      "Faults of the plan to keep, as numbers separated by commas, or none (default: all)");
  app.add_option(
      "--spec", spec,
      "Generator spec of the fabric (default: that of the plan; with --hours fattree3:k=16)");
  app.add_flag("--uniform", uniform, "Make all devices one kind");
  app.add_flag("--replicated", replicated, "Run simulations with replication between managers");
  app.add_flag("--private", private_tables, "Run simulations of dfp2 with private tables")
      ->excludes("--replicated");
  app.add_flag("--current", current,
               "Run simulations with own LIDs of virtual ports, class keys and congestion control")
      ->excludes("--replicated")
      ->excludes("--private");
  app.add_flag("-v", verbose, "Print the logs of the managers");
  CLI11_PARSE(app, argc, argv);
  weft::log_to_stderr(spdlog::level::off);
  if (hours > 0) return run_long(seed, spec.empty() ? "fattree3:k=16" : spec, hours);
  if (kills > 0) return print_failovers(kills, seed);
  const Worlds worlds = replicated       ? Worlds::kReplicated
                        : private_tables ? Worlds::kPrivate
                        : current        ? Worlds::kCurrent
                                         : Worlds::kAny;
  if (one->count() == 0) return run_campaign(seconds, first, threads, worlds);
  PlanSelection selection = all_of(seed, worlds);
  selection.spec = spec;
  selection.uniform = uniform;
  if (!only.empty()) {
    selection.faults.clear();
    if (only != "none")
      for (const std::string& word : CLI::detail::split(only, ','))
        selection.faults.push_back(std::stoul(word));
  }
  return run_one(std::move(selection), verbose);
}
