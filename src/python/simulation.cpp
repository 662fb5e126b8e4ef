// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Simulations of congestion, as `weft simulate` runs them.

#include <pybind11/stl.h>

#include "base/file.h"
#include "cli/simulate/simulate_arguments.h"
#include "cli/simulate/simulate_text.h"
#include "congestion/permutation_bound.h"
#include "python/arrays.h"
#include "python/bindings.h"
#include "python/failure.h"
#include "python/handles.h"
#include "python/task.h"

namespace py = pybind11;

namespace weft::python {
namespace {

NetworkHandle network_of_routes(const RoutesHandle& handle) {
  return compute([=](Task&) {
    return NetworkHandle{
        std::make_shared<const RoutedNetwork>(take(network_of(*handle.fabric, *handle.routes)))};
  });
}

py::tuple network_of_graph(const std::string& path) {
  auto [network, warnings] = compute([=](Task&) {
    auto lines = take(LineReader::open(path));
    Warnings found;
    auto read = std::make_shared<const RoutedNetwork>(take(read_routed_dot(lines, found)));
    return std::pair(NetworkHandle{read}, found.take());
  });
  py::list lines;
  for (const std::string& warning : warnings) lines.append(py::bytes(warning));
  return py::make_tuple(std::move(network), lines);
}

/// The arguments of weft.simulate(), by their names.
cli::SimulateArguments arguments_of(const py::dict& given) {
  cli::SimulateArguments arguments;
  const auto set = [&](const char* name, auto& into) {
    into = given[name].cast<std::remove_reference_t<decltype(into)>>();
  };
  set("pattern", arguments.pattern.name);
  set("first", arguments.pattern.first);
  set("second", arguments.pattern.second);
  set("first_ranks", arguments.pattern.first_ranks);
  set("ranks", arguments.ranks);
  set("subset", arguments.subset);
  set("mapping", arguments.mapping);
  set("level", arguments.level);
  set("paths", arguments.paths);
  set("link_rates", arguments.link_rates);
  set("adaptive", arguments.adaptive);
  set("metric", arguments.metric);
  set("runs", arguments.runs);
  set("until_error", arguments.until_error);
  set("seed", arguments.seed);
  set("threads", arguments.threads);
  return arguments;
}

struct SimulationAnswer {
  std::string json;
  std::string text;
  std::vector<double> values;               // by run
  std::vector<std::uint64_t> channel_sums;  // by channel of the network
  std::vector<std::uint64_t> ticks;         // distinct weights of connections, ascending
  std::vector<std::uint64_t> connections;   // number of connections of each weight
  std::uint64_t ticks_of_one = 1;
};

Tally run(const RoutedNetwork& network, const Study& study, Metric metric,
          const cli::SimulateArguments& arguments, Task& task) {
  const std::uint64_t runs = cli::runs_max(arguments);
  Tally tally;
  SimulationOptions options;
  options.threads = arguments.threads;
  options.stop = &task.flag();
  options.progress = [&](std::uint64_t done) { task.report(tally.runs() + done, runs); };
  const RunRange range = [&](std::uint64_t begin, std::uint64_t end) {
    merge(tally, run_simulation(network, study, begin, end, options));
    throw_if_cancelled();
    task.report(tally.runs(), runs);
    return true;
  };
  if (!arguments.until_error) {
    range(0, runs);
  } else {
    simulate_until(
        range, [&] { return error99(metric, tally) <= *arguments.until_error; }, runs);
  }
  return tally;
}

SimulationAnswer simulate(const RoutedNetwork& network, const cli::SimulateArguments& arguments,
                          Task& task) {
  const StudySpec spec = take(cli::study_spec(arguments));
  const Metric metric = take(parse_metric(arguments.metric));
  const Study study = take(make_study(network, spec));
  SimulationAnswer result;
  if (metric == Metric::kWorstPermutation) {
    const auto bounds = permutation_bounds(network, study.hosts, arguments.threads);
    result.json = cli::dump(cli::bounds_json(network, bounds));
    result.text = cli::bounds_text(network, bounds);
    for (const ChannelBound& bound : bounds) result.channel_sums.push_back(bound.flows);
    return result;
  }
  const Tally tally = run(network, study, metric, arguments, task);
  result.json =
      cli::dump(cli::simulation_json(network, study, metric, tally, cli::runs_max(arguments)));
  result.text = metric_text(metric, tally);
  result.values = values_by_run(metric, tally);
  result.channel_sums = tally.channel_sum;
  for (const auto& [ticks, bin] : tally.weights) {
    result.ticks.push_back(ticks);
    result.connections.push_back(bin.connections);
  }
  result.ticks_of_one = tally.ticks;
  return result;
}

py::tuple simulate_network(const NetworkHandle& handle, const py::dict& given,
                           const py::object& progress) {
  SimulationAnswer result = compute([network = handle.network, arguments = arguments_of(given)](
                                        Task& task) { return simulate(*network, arguments, task); },
                                    progress);
  std::vector<double> weights;
  for (const std::uint64_t ticks : result.ticks)
    weights.push_back(static_cast<double>(ticks) / static_cast<double>(result.ticks_of_one));
  return py::make_tuple(py::bytes(result.json), py::bytes(result.text),
                        owned(std::move(result.values)), owned(std::move(result.channel_sums)),
                        owned(std::move(weights)), owned(std::move(result.connections)));
}

py::array network_channels(const py::object& self) {
  static_assert(std::is_standard_layout_v<NetChannel>);
  const py::dtype type = Fields()
                             .add<std::uint32_t>("from", offsetof(NetChannel, from))
                             .add<std::uint32_t>("to", offsetof(NetChannel, to))
                             .add<std::uint32_t>("rate", offsetof(NetChannel, rate))
                             .add<std::uint8_t>("from_port", offsetof(NetChannel, from_port))
                             .add<std::uint8_t>("to_port", offsetof(NetChannel, to_port))
                             .type(sizeof(NetChannel));
  return view(type, self.cast<const NetworkHandle&>().network->channels(), self);
}

py::list node_names(const NetworkHandle& handle) {
  py::list names;
  for (std::uint32_t node = 0; node < handle.network->node_count(); ++node)
    names.append(py::bytes(handle.network->node(node).name));
  return names;
}

}  // namespace

void bind_simulation(py::module_& module) {
  py::class_<NetworkHandle>(module, "Network")
      .def("channels", &network_channels)
      .def("node_names", &node_names)
      .def("host_count", [](const NetworkHandle& handle) { return handle.network->host_count(); })
      .def("simulate", &simulate_network);
  module.def("network_of_routes", &network_of_routes);
  module.def("network_of_graph", &network_of_graph);
}

}  // namespace weft::python
