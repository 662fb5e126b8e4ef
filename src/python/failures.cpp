// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The effect of failures, as `weft simulate --failures` computes it.

#include <pybind11/stl.h>

#include <atomic>

#include "cli/routes/what_if.h"
#include "python/bindings.h"
#include "python/engines.h"
#include "python/failure.h"
#include "python/handles.h"
#include "python/task.h"
#include "whatif/what_if.h"

namespace py = pybind11;

namespace weft::python {
namespace {

struct FailureCall {
  cli::WhatIfArguments arguments;
  std::uint64_t pairs = 0;  // pairs that are reachable before any failure
  std::uint64_t seed = 0;
  unsigned threads = 0;
};

std::vector<Loss> losses_of(const RoutesHandle& handle, const FailureCall& call, Task& task) {
  const auto failures = take(cli::failures_of(*handle.fabric, call.arguments, call.seed));
  std::atomic<std::uint64_t> done{0};
  auto losses = simulate_failures(*handle.fabric, *handle.routes, call.pairs, failures,
                                  cli::router_of(*handle.request, &find_engine_of_task),
                                  {.threads = call.threads,
                                   .seed = call.seed,
                                   .matchings = call.arguments.matchings,
                                   .shifts = true,
                                   .go_on = [&] {
                                     task.report(++done, failures.size());
                                     return !task.is_requested();
                                   }});
  throw_if_cancelled();
  sort_worst_first(losses);
  return losses;
}

py::dict dict_of(const Fabric& fabric, const Loss& loss) {
  py::list switches, cables;
  for (const SwitchId sw : loss.failure.switches) switches.append(sw.value());
  for (const ChannelId cable : loss.failure.cables) cables.append(cable.value());
  py::dict row;
  row["name"] = py::bytes(describe(fabric, loss.failure));
  row["switches"] = switches;
  row["channels"] = cables;
  row["routed"] = loss.routed;
  row["pairs_cut"] = loss.pairs_cut;
  row["pairs_lost"] = loss.pairs_lost;
  row["ebb_left"] = loss.ebb;
  row["alltoall_left"] = loss.alltoall;
  row["shift_worst_left"] = loss.shift_worst;
  row["link_load_max"] = loss.link_load_max;
  row["blocks"] = loss.blocks;
  row["vls"] = loss.vls;
  row["engine"] = loss.engine;
  row["credit_loop"] = loss.credit_loop;
  row["seconds"] = loss.seconds;
  return row;
}

py::list failures(const RoutesHandle& handle, std::uint32_t size, std::uint32_t trials,
                  const std::string& victims, std::uint32_t matchings, std::uint64_t pairs,
                  std::uint64_t seed, unsigned threads,
                  std::vector<std::pair<std::string, py::object>> engines,
                  const py::object& progress) {
  FailureCall call{{}, pairs, seed, threads};
  call.arguments.size = size;
  call.arguments.trials = trials;
  call.arguments.victims = victims;
  call.arguments.matchings = matchings;
  const auto losses = compute([handle, call](Task& task) { return losses_of(handle, call, task); },
                              progress, std::make_shared<EngineTask>(std::move(engines), false));
  py::list rows;
  for (const Loss& loss : losses) rows.append(dict_of(*handle.fabric, loss));
  return rows;
}

}  // namespace

void bind_failures(py::module_& module) {
  module.def("is_routed_by_engine",
             [](const RoutesHandle& handle) { return handle.request != nullptr; });
  module.def("failures", &failures);
}

}  // namespace weft::python
