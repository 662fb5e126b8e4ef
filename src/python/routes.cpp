// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Bindings of routes: tables, paths, loads, verdict, quality and writing.

#include <pybind11/stl.h>

#include "cli/common.h"
#include "cli/routes/quality_text.h"
#include "congestion/quality/quality.h"
#include "policy/group_file.h"
#include "python/arrays.h"
#include "python/bindings.h"
#include "python/failure.h"
#include "python/handles.h"
#include "python/task.h"
#include "report/usage.h"
#include "routes/dump/dot.h"
#include "routes/dump/hops.h"
#include "routing/topology.h"
#include "sm/dumps.h"

namespace py = pybind11;

namespace weft::python {
namespace {

py::array lfts(const py::object& self) {
  const Lfts& tables = self.cast<const RoutesHandle&>().routes->lfts;
  const auto switches = static_cast<py::ssize_t>(tables.switch_count());
  const auto row = static_cast<py::ssize_t>(tables.blocks() * kLftBlock);
  const void* const data = switches == 0 ? nullptr : tables.row(SwitchId(0)).data();
  return view(py::dtype::of<std::uint8_t>(), {switches, py::ssize_t{tables.top().value()} + 1},
              {row, 1}, data, self);
}

py::array hops(const RoutesHandle& handle) {
  HopTable table = compute([fabric = handle.fabric, routes = handle.routes](Task&) {
    return walked_hops(*fabric, routes->lfts);
  });
  return owned(std::move(table.bytes), {static_cast<py::ssize_t>(handle.fabric->switch_count()),
                                        static_cast<py::ssize_t>(table.columns)});
}

py::tuple loads(const RoutesHandle& handle, unsigned threads) {
  Usage usage = compute([fabric = handle.fabric, routes = handle.routes, threads](Task&) {
    return count_usage(*fabric, *routes, threads);
  });
  py::list lanes;
  for (const LaneUse& lane : usage.lanes)
    lanes.append(py::make_tuple(lane.paths, lane.hops, lane.load_max));
  return py::make_tuple(owned(std::move(usage.load)), lanes);
}

// ---- Paths ----

struct WalkedPath {
  std::vector<std::uint32_t> switches, channels;
  std::vector<std::uint8_t> ports, vls;  // by switch of the path
  unsigned sl = 0;
  const char* end = "arrived";
};

/// The path of packets from an endport to a LID.
WalkedPath walk(const Fabric& fabric, const Routes& routes, EndportId source, Lid lid) {
  const Endport& from = fabric.endport(source);
  const Endport& to = fabric.endport(fabric.endport_of(lid));
  WalkedPath path;
  path.sl = routes.path_sl.sl(fabric, source, lid).value();
  SwitchId at = from.sw;
  PortNum in = from.sw_port;
  while (true) {
    if (path.switches.size() > fabric.switch_count()) {
      path.end = "loop";
      return path;
    }
    const PortNum out = routes.lfts.port(at, lid);
    path.switches.push_back(at.value());
    path.ports.push_back(out.value());
    const bool ends_here = out == PortNum(0) || out == kNoRoute;
    path.vls.push_back(
        ends_here ? 0
                  : routes.sl2vl.vl(at, in, out, Sl(static_cast<std::uint8_t>(path.sl))).value());
    if (out == kNoRoute) {
      path.end = "no route";
      return path;
    }
    if (at == to.sw && out == to.sw_port) return path;
    const PortId port = fabric.port_id(Fabric::node_of(at), out);
    if (out != PortNum(0) && (port == kNoPort || fabric.port(port).peer == kNoPort)) {
      path.end = "port without a cable";
      return path;
    }
    const ChannelId channel = fabric.channel_at(at, out);
    if (channel == kNoChannel) {
      path.end = "ends at another endport";
      return path;
    }
    path.channels.push_back(channel.value());
    at = fabric.channel(channel).to;
    in = fabric.channel(channel).to_port;
  }
}

py::tuple path(const RoutesHandle& handle, std::uint32_t source, std::uint16_t lid) {
  const Fabric& fabric = *handle.fabric;
  const EndportId target = fabric.endport_of(Lid(lid));
  if (source >= fabric.endport_count())
    throw Failure({Code::kUsage, fmt::format("endport {}: expected less than {}", source,
                                             fabric.endport_count())});
  if (target == kNoEndport)
    throw Failure({Code::kUsage, fmt::format("LID {} is not assigned", lid)});
  for (const EndportId end : {EndportId(source), target})
    if (fabric.endport(end).sw == kNoSwitch)
      throw Failure({Code::kUsage, fmt::format("{} is not cabled to a switch",
                                               describe(fabric, fabric.endport(end).port))});
  WalkedPath walked = walk(fabric, *handle.routes, EndportId(source), Lid(lid));
  return py::make_tuple(owned(std::move(walked.switches)), owned(std::move(walked.ports)),
                        owned(std::move(walked.channels)), owned(std::move(walked.vls)), walked.sl,
                        walked.end);
}

/// The output ports from which a switch selects for a LID, for packets with an SL that enter by a
/// port; the port of the forwarding table is first.
std::vector<unsigned> choices(const RoutesHandle& handle, std::uint32_t sw, std::uint16_t lid,
                              std::uint8_t in, std::uint8_t sl) {
  if (sw >= handle.fabric->switch_count())
    throw py::index_error(
        fmt::format("switch {}: expected less than {}", sw, handle.fabric->switch_count()));
  std::vector<unsigned> ports;
  const Routes& routes = *handle.routes;
  for_each_choice(routes.lfts, routes.adaptive ? &*routes.adaptive : nullptr, SwitchId(sw),
                  PortNum(in), Sl(sl), Lid(lid),
                  [&](PortNum port) { ports.push_back(port.value()); });
  return ports;
}

/// VL by input port, output port and SL of a switch.
py::array sl2vl(const RoutesHandle& handle, std::uint32_t sw) {
  if (sw >= handle.fabric->switch_count())
    throw py::index_error(
        fmt::format("switch {}: expected less than {}", sw, handle.fabric->switch_count()));
  const unsigned ports = handle.fabric->node(SwitchId(sw)).port_count + 1u;
  std::vector<std::uint8_t> vls;
  vls.reserve(std::size_t{ports} * ports * kSlCount);
  for (unsigned in = 0; in < ports; ++in)
    for (unsigned out = 0; out < ports; ++out)
      for (const std::uint8_t vl :
           handle.routes->sl2vl.map(SwitchId(sw), PortNum(static_cast<std::uint8_t>(in)),
                                    PortNum(static_cast<std::uint8_t>(out))))
        vls.push_back(vl);
  const auto size = static_cast<py::ssize_t>(ports);
  return owned(std::move(vls), {size, size, py::ssize_t{kSlCount}});
}

// ---- Verdict and quality ----

py::tuple verify_now(const RoutesHandle& handle, unsigned threads, bool ignore_replies,
                     const std::string& groups_file) {
  const auto [json, text, warnings] = compute([=](Task&) {
    std::vector<MulticastGroup> groups;
    std::vector<std::string> lines;
    if (!groups_file.empty())
      groups = resolve_groups(take(read_groups(groups_file)), *handle.fabric, lines);
    const Verdict verdict =
        verify(*handle.fabric, *handle.routes,
               {.threads = threads, .groups = groups, .ignore_replies = ignore_replies});
    return std::tuple(cli::dump(cli::verdict_json(*handle.fabric, verdict)),
                      cli::verdict_text(*handle.fabric, verdict), lines);
  });
  py::list lines;
  for (const std::string& warning : warnings) lines.append(py::bytes(warning));
  return py::make_tuple(py::bytes(json), py::bytes(text), lines);
}

py::tuple quality_now(const RoutesHandle& handle, unsigned threads, std::uint64_t seed,
                      unsigned matchings, bool bound, bool patterns) {
  const auto [json, text] = compute([=](Task&) {
    const QualityOptions measured{
        .threads = threads, .seed = seed, .matchings = matchings, .bound = bound};
    const Quality quality =
        assess(*handle.fabric, *handle.routes,
               patterns ? with_patterns(measured, group_by_switch(*handle.fabric)) : measured);
    return std::pair(cli::dump(cli::quality_json(quality)), cli::quality_text(quality));
  });
  return py::make_tuple(py::bytes(json), py::bytes(text));
}

void write_folder(const RoutesHandle& handle, const std::string& folder, bool psl) {
  compute([=](Task&) {
    std::vector<std::string> repeated;
    const auto groups =
        handle.request ? resolve_groups(handle.request->inputs.groups, *handle.fabric, repeated)
                       : std::vector<MulticastGroup>();
    take(
        write_dumps(*handle.fabric, *handle.routes, folder, {.groups = groups, .psl_always = psl}));
    return true;
  });
}

void write_graph(const RoutesHandle& handle, const std::string& file) {
  compute([=](Task&) {
    take(write_file(file, [&](const Append& append) {
      write_dot_routes(*handle.fabric, *handle.routes, append);
    }));
    return true;
  });
}

}  // namespace

void bind_routes(py::module_& module) {
  py::class_<RoutesHandle>(module, "Routes")
      .def("fabric", [](const RoutesHandle& handle) { return FabricHandle{handle.fabric}; })
      .def("facts",
           [](const RoutesHandle& handle) {
             return py::make_tuple(handle.routes->engine, handle.routes->vls,
                                   handle.routes->adaptive.has_value());
           })
      .def("lfts", &lfts)
      .def("hops", &hops)
      .def("loads", &loads)
      .def("path", &path)
      .def("choices", &choices)
      .def("sl2vl", &sl2vl)
      .def("verify", &verify_now)
      .def("quality", &quality_now)
      .def("write", &write_folder)
      .def("write_graph", &write_graph)
      .def("__eq__", [](const RoutesHandle& one, const RoutesHandle& other) {
        return *one.routes == *other.routes;
      });
}

}  // namespace weft::python
