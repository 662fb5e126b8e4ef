// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "python/engines.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <utility>

#include "python/arrays.h"
#include "python/failure.h"
#include "python/handles.h"
#include "python/task.h"
#include "routing/deadlock/lanes.h"

namespace py = pybind11;

namespace weft::python {
namespace {

using Bytes = py::array_t<std::uint8_t, py::array::c_style>;

/// The result of weft._engine.answer(): tables, SLs or None, number of VLs, name.
struct PythonAnswer {
  Bytes lfts;
  std::optional<Bytes> sls;
  unsigned vls = 1;
  std::string name;
};

Result<Lfts> lfts_of(const Fabric& fabric, const PythonAnswer& answer) {
  Lfts lfts(fabric.switch_count(), fabric.lid_top());
  const std::size_t lids = std::size_t{fabric.lid_top().value()} + 1;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const std::span<const std::uint8_t> row(answer.lfts.data(s, 0), lids);
    const unsigned ports = fabric.node(SwitchId(s)).port_count;
    const auto bad = std::ranges::find_if(
        row, [&](std::uint8_t port) { return port > ports && port != kNoRoute.value(); });
    if (bad != row.end())
      return fail(Code::kBadField,
                  "routing engine {}: table of {}, LID {}: found port {}, expected 0 to {} or {}",
                  answer.name, describe(fabric.node(SwitchId(s))), bad - row.begin(), *bad, ports,
                  kNoRoute.value());
    std::ranges::copy(row, lfts.row(SwitchId(s)).begin());
  }
  return lfts;
}

Result<PathSl> sls_of(const Fabric& fabric, const PythonAnswer& answer) {
  const Bytes& sls = *answer.sls;
  std::vector<std::uint8_t> table(sls.data(), sls.data() + sls.size());
  const auto high = std::ranges::find_if(table, [&](std::uint8_t sl) { return sl >= answer.vls; });
  if (high != table.end())
    return fail(Code::kBadField,
                "routing engine {}: entry {} of its SLs: found {}, expected less than its {} VLs",
                answer.name, high - table.begin(), *high, answer.vls);
  if (sls.ndim() == 1) return PathSl::by_destination(std::move(table));
  if (sls.shape(1) == static_cast<py::ssize_t>(fabric.switch_count()))
    return PathSl::by_switch_pair(fabric.switch_count(), std::move(table));
  return PathSl::by_switch_and_lid(fabric.switch_count(), fabric.lid_top(), std::move(table));
}

Result<Routes> routes_of(const Fabric& fabric, const PythonAnswer& answer, unsigned vls_max) {
  if (answer.vls < 1 || answer.vls > vls_max)
    return fail(Code::kOutOfVls, "routing engine {}: found {} VLs, expected 1 to {}", answer.name,
                answer.vls, vls_max);
  Routes routes;
  routes.engine = answer.name;
  routes.vls = routes.vls_needed = answer.vls;
  if (answer.vls > 1) routes.sl2vl = Sl2Vl(modulo_map(answer.vls));
  auto lfts = lfts_of(fabric, answer);
  if (!lfts) return forward(lfts);
  routes.lfts = std::move(*lfts);
  if (answer.sls) {
    auto sls = sls_of(fabric, answer);
    if (!sls) return forward(sls);
    routes.path_sl = std::move(*sls);
  }
  return routes;
}

PythonAnswer answer_of(const py::object& answer) {
  auto [lfts, sls, vls, name] =
      answer.cast<std::tuple<Bytes, std::optional<Bytes>, unsigned, std::string>>();
  return {std::move(lfts), std::move(sls), vls, std::move(name)};
}

/// Runs the engine; the GIL must be held. Fails with kUnroutable if the engine raises
/// UnroutableError. Throws on other errors.
Result<Routes> ask(const py::object& engine, const Fabric& fabric, const RoutingOptions& options) {
  const unsigned vls_max = lanes_available(fabric, options.vls_max);
  std::vector<std::uint32_t> roots;
  for (const SwitchId root : options.roots) roots.push_back(root.value());
  // A copy, because the engine may keep the fabric, but the part of a fabric exists only in this
  // call.
  const FabricHandle handle{std::make_shared<const Fabric>(fabric)};
  const py::object answer = py::module_::import("weft._engine")
                                .attr("answer")(engine, handle, owned(std::move(roots)),
                                                options.seed, options.threads, vls_max);
  if (py::isinstance<py::str>(answer))
    return fail(Code::kUnroutable, "{}", answer.cast<std::string>());
  auto routes = routes_of(fabric, answer_of(answer), vls_max);
  if (!routes) throw Failure(routes.error());
  return routes;
}

/// Engine functions have no context argument, so there is one function for each index.
template <std::size_t I>
Result<Routes> run_python(const Fabric& fabric, const RoutingOptions& options) {
  Task* const task = Task::current();
  Result<Routes> routes = fail(Code::kUnroutable, "not run");
  task->call([&] { routes = ask(task->object(I), fabric, options); });
  return routes;
}

template <std::size_t... I>
constexpr auto python_runners(std::index_sequence<I...>) {
  return std::array{&run_python<I>...};
}
constexpr auto kPythonRunners = python_runners(std::make_index_sequence<kPythonEnginesMax>());

std::vector<py::object> objects_of(std::span<const std::pair<std::string, py::object>> engines) {
  std::vector<py::object> objects;
  for (const auto& [name, object] : engines) objects.push_back(object);
  return objects;
}

}  // namespace

EngineTask::EngineTask(std::vector<std::pair<std::string, py::object>> engines,
                       bool reports_engines)
    : Task(objects_of(engines)), reports_engines_(reports_engines) {
  if (engines.size() > kPythonEnginesMax)
    throw py::value_error(fmt::format("{} engines in Python: expected at most {}", engines.size(),
                                      kPythonEnginesMax));
  for (auto& [name, object] : engines) names_.push_back(std::move(name));
  for (std::size_t i = 0; i < names_.size(); ++i)
    engines_.push_back({names_[i], "written in Python", kPythonRunners[i]});
}

const Engine* EngineTask::find(std::string_view name) const {
  const auto found = std::ranges::find(engines_, name, &Engine::name);
  return found == engines_.end() ? nullptr : &*found;
}

const Engine* find_engine_of_task(std::string_view name) {
  auto* const task = dynamic_cast<EngineTask*>(Cancellation::current());
  if (task != nullptr && task->reports_engines()) task->begin(name);
  const Engine* const own = task == nullptr ? nullptr : task->find(name);
  return own == nullptr ? find_engine(name) : own;
}

RoutesHandle routes_of_tables(const FabricHandle& handle, const py::object& answer) {
  Routes routes = take(routes_of(*handle.fabric, answer_of(answer), kDataVlCount));
  return {handle.fabric, std::make_shared<const Routes>(std::move(routes)), {}};
}

}  // namespace weft::python
