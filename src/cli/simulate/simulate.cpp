// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// weft simulate: congestion simulation with ORCS's options, patterns and metrics, on a routed graph
// or on a fabric routed by an engine. Also called as `orcs`.

#include <unistd.h>

#include <memory>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/routes/repair.h"
#include "cli/simulate/job_run.h"
#include "cli/simulate/simulate_arguments.h"
#include "cli/simulate/simulate_compare.h"
#include "cli/simulate/simulate_text.h"
#include "cli/subcommands.h"
#include "cli/team.h"
#include "routes/dump/dot.h"

namespace weft::cli {
namespace {

/// Progress of the runs, on the terminal.
class ProgressBar {
 public:
  explicit ProgressBar(std::uint64_t wanted) : wanted_(wanted) {}
  ~ProgressBar() {
    if (shown_) std::fputs("\r\033[K", stderr);
  }
  void show(std::uint64_t done) {
    const double seconds = watch_.seconds();
    if (seconds < next_) return;
    next_ = seconds + 0.1;
    shown_ = true;
    constexpr std::uint64_t kWidth = 40;
    const std::uint64_t full = done * kWidth / std::max<std::uint64_t>(1, wanted_);
    const std::string bar(full, '#');
    std::fputs(fmt::format("\r[{:<40}] {} of {} runs", bar, done, wanted_).c_str(), stderr);
  }

 private:
  std::uint64_t wanted_;
  Stopwatch watch_;
  double next_ = 0.5;
  bool shown_ = false;
};

/// Simulates with the whole team. The result is empty at the other ranks; at the leader it lacks
/// runs after an interrupt, or if a rank returned an invalid result.
Tally simulate(const RoutedNetwork& network, const Study& study, Metric metric,
               const SimulateArguments& arguments) {
  const std::atomic<bool>& interrupted = catch_interrupts();
  const std::uint64_t runs = runs_max(arguments);
  Tally tally;
  ProgressBar bar(runs);
  SimulationOptions options;
  options.threads = arguments.threads;
  options.stop = &interrupted;
  if (team().is_leader() && isatty(STDERR_FILENO) != 0 && !arguments.verbose)
    options.progress = [&](std::uint64_t done) { bar.show(tally.runs() + done); };
  if (arguments.verbose)
    options.level_done = [](std::uint64_t run, std::uint64_t level) {
      std::fputs(fmt::format("run {}: level {} simulated\n", run, level).c_str(), stderr);
    };
  const auto collect = [&](std::span<const std::byte> bytes) {
    const auto part = Tally::from_bytes(bytes);
    if (!part) return false;
    merge(tally, *part);
    return true;
  };
  const RunRange range = [&](std::uint64_t first, std::uint64_t last) {
    const auto work = [&](std::uint64_t begin, std::uint64_t end) {
      return run_simulation(network, study, first + begin, first + end, options).to_bytes();
    };
    return team().share(last - first, work, collect, interrupted);
  };
  if (!arguments.until_error) {
    range(0, runs);
    return tally;
  }
  // Only the leader has all runs, so it determines whether the runs suffice.
  const auto is_enough = [&] {
    std::vector<std::byte> word;
    if (team().is_leader()) word.resize(error99(metric, tally) <= *arguments.until_error ? 1 : 0);
    team().broadcast(word);
    return !word.empty();
  };
  simulate_until(range, is_enough, runs);
  return tally;
}

/// The leader reads the network and broadcasts it to the other ranks.
Result<LoadedNetwork> share_network(const SimulateArguments& arguments) {
  Result<LoadedNetwork> loaded = team().is_leader() ? load_network(arguments) : LoadedNetwork{};
  if (team().size() == 1) return loaded;
  std::vector<std::byte> bytes;
  if (team().is_leader() && loaded) bytes = loaded->network.to_bytes();
  team().broadcast(bytes);
  if (team().is_leader()) return loaded;
  if (bytes.empty()) return fail(Code::kBadInput, "the leader could not read the network");
  auto network = RoutedNetwork::from_bytes(bytes);
  if (!network) return forward(network);
  loaded->network = std::move(*network);
  return loaded;
}

/// Writes the input graph, or the routed fabric as a graph, with the congestion of each edge.
void write_graph(const LoadedNetwork& loaded, const Tally& tally, const Append& append) {
  const std::uint64_t largest = largest_channel_sum(tally);
  if (loaded.echo) {
    loaded.echo->write(
        [&](std::uint32_t channel) { return cable_attributes(tally, channel, largest); }, append);
    return;
  }
  const auto channels = channels_by_port(*loaded.fabric, loaded.network);
  write_dot_routes(*loaded.fabric, loaded.routes, append, [&](PortId from) {
    const std::uint32_t channel = channels[from.value()];
    return channel == RoutedNetwork::kNone ? std::string{}
                                           : cable_attributes(tally, channel, largest);
  });
}

void write_report(const LoadedNetwork& loaded, const Study& study, Metric metric,
                  const Tally& tally, const SimulateArguments& arguments, const Append& append) {
  if (arguments.json) {
    Json json = simulation_json(loaded.network, study, metric, tally, runs_max(arguments));
    append(dump(json));
    return;
  }
  if (arguments.print_hosts) append(hosts_text(loaded.network, study));
  if (arguments.print_pattern) append(pattern_text(study));
  if (metric == Metric::kCableCong)
    write_graph(loaded, tally, append);
  else
    append(metric_text(metric, tally));
}

int bound(const RoutedNetwork& network, const Study& study, const SimulateArguments& arguments) {
  std::vector<std::uint32_t> ports = study.hosts;
  if (!study.ports.empty()) ports.clear();
  for (const auto& host_ports : study.ports)
    ports.insert(ports.end(), host_ports.begin(), host_ports.end());
  const auto bounds = permutation_bounds(network, ports, arguments.threads);
  return write_to(arguments.output, [&](const Append& append) {
    append(arguments.json ? dump(bounds_json(network, bounds)) : bounds_text(network, bounds));
  });
}

/// Compares the port selection policies in a table and, with --svg, in a plot.
int compare(const RoutedNetwork& network, const Study& study, const SimulateArguments& arguments) {
  if (team().is_leader() && !network.is_adaptive())
    log::warn("--adaptive compare: these routes are not adaptive: all rows are equal");
  const auto results = compare_policies(study, [&](const Study& one) {
    return simulate(network, one, Metric::kHistAccBand, arguments);
  });
  if (!team().is_leader()) return 0;
  const int status = write_to(arguments.output, [&](const Append& append) {
    append(arguments.json ? dump(policies_json(results)) : policies_text(results));
  });
  if (status != 0 || arguments.picture.empty()) return status;
  return write_to(arguments.picture, [&](const Append& append) {
    append(policies_picture(fmt::format("{}: {}", arguments.fabric.name, study.pattern.name),
                            results));
  });
}

int simulate_jobs(const SimulateArguments& arguments) {
  const auto loaded = share_network(arguments);
  if (loaded) return run_jobs(arguments, *loaded);
  return team().is_leader() ? report(loaded.error()) : exit_status(loaded.error());
}

int run_simulate(const SimulateArguments& arguments) {
  if (!arguments.what_if.repair.empty())
    return run_repair(arguments.fabric, arguments.routing, settings_of(arguments),
                      arguments.what_if, arguments.json, arguments.output);
  if (arguments.what_if.size > 0)
    return run_what_if(arguments.fabric, arguments.routing, settings_of(arguments),
                       arguments.what_if, arguments.json, arguments.output);
  if (!arguments.jobs.empty()) return simulate_jobs(arguments);
  const auto spec = study_spec(arguments);
  if (!spec) return report(spec.error());
  const Metric metric = *parse_metric(arguments.metric);
  const auto loaded = share_network(arguments);
  if (!loaded && !team().is_leader())
    return exit_status(loaded.error());  // the leader reports the error
  if (!loaded) return report(loaded.error());
  const auto study = make_study(loaded->network, *spec);
  if (!study) return report(study.error());
  for (const std::string& note : study->notes) log::warn("{}", note);
  if (metric == Metric::kWorstPermutation)
    return team().is_leader() ? bound(loaded->network, *study, arguments) : 0;
  if (arguments.adaptive == "compare") return compare(loaded->network, *study, arguments);
  const Tally tally = simulate(loaded->network, *study, metric, arguments);
  if (!team().is_leader()) return 0;
  for (const RouteFailure& failure : tally.failures)
    log::warn("{}", describe(loaded->network, failure));
  if (tally.dropped > 0)
    log::warn("{} of {} connections have no route and were excluded", tally.dropped,
              tally.connections + tally.dropped);
  const bool is_settled = arguments.until_error && error99(metric, tally) <= *arguments.until_error;
  const bool is_partial = tally.runs() < runs_max(arguments) && !is_settled;
  if (is_partial)
    log::warn("incomplete simulation: these are the results of {} of {} runs", tally.runs(),
              runs_max(arguments));
  const int status = write_to(arguments.output, [&](const Append& append) {
    write_report(*loaded, *study, metric, tally, arguments, append);
  });
  if (status != 0) return status;
  if (is_partial) team().abandon();
  return tally.dropped > 0 || is_partial ? 1 : 0;
}

Run set_up_simulate(CLI::App& app) {
  auto arguments = std::make_shared<SimulateArguments>();
  add_simulate_arguments(app, *arguments);
  return [arguments] { return run_simulate(*arguments); };
}

}  // namespace

const Subcommand kSimulateSubcommand{
    "simulate", "Simulate the congestion of traffic patterns, with ORCS's options",
    &set_up_simulate};

}  // namespace weft::cli
