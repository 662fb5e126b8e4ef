// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Bindings of fabrics: construction from files, text, specs and graphs; copies with new LIDs or
// without failed parts; arrays; distances; topology; writing.

#include <pybind11/stl.h>

#include <cstddef>

#include "base/file.h"
#include "cli/common.h"
#include "fabric/builder.h"
#include "fabric/formats/read.h"
#include "fabric/formats/write.h"
#include "fabric/generators/spec.h"
#include "fabric/lids.h"
#include "fabric/without.h"
#include "ib/enums.h"
#include "python/arrays.h"
#include "python/bindings.h"
#include "python/failure.h"
#include "python/handles.h"
#include "python/task.h"
#include "routes/dump/hops.h"
#include "routing/topology.h"

namespace py = pybind11;

namespace weft::python {
namespace {

/// LMC of new LIDs; no value: the LIDs of the file are kept.
using WantedLmc = std::optional<std::uint8_t>;

FabricHandle handle_of(Fabric fabric, WantedLmc lmc) {
  if (lmc) fabric = take(cli::with_all_lids(fabric, *lmc));
  return {std::make_shared<const Fabric>(std::move(fabric))};
}

struct LoadedFabric {
  FabricHandle fabric;
  std::string format;
  std::vector<std::string> warnings;
};

LoadedFabric take_loaded(Result<ReadResult>&& result, WantedLmc lmc) {
  ReadResult read = take(std::move(result));
  return {handle_of(std::move(read.fabric), lmc), std::move(read.format), std::move(read.warnings)};
}

py::tuple as_tuple(LoadedFabric read) {
  py::list warnings;
  for (const std::string& warning : read.warnings) warnings.append(py::bytes(warning));
  return py::make_tuple(std::move(read.fabric), read.format, warnings);
}

py::tuple load(const std::string& path, const ReadOptions& options, WantedLmc lmc) {
  return as_tuple(compute([=](Task&) { return take_loaded(read_fabric(path, options), lmc); }));
}

py::tuple parse(const std::string& text, const std::string& name, const ReadOptions& options,
                WantedLmc lmc) {
  return as_tuple(
      compute([=](Task&) { return take_loaded(read_fabric_text(text, name, options), lmc); }));
}

FabricHandle from_spec(const std::string& spec, WantedLmc lmc) {
  return compute([=](Task&) { return handle_of(take(generate(spec)), lmc); });
}

/// A node of a graph: name, type, GUID (0: by its index) and number of ports.
using NodeSpec = std::tuple<std::string, std::uint8_t, std::uint64_t, std::uint8_t>;
/// A cable: its two nodes by index, their ports, width and speed.
using CableSpec =
    std::tuple<std::uint32_t, std::uint8_t, std::uint32_t, std::uint8_t, std::string, std::string>;

Guid guid_of(const NodeSpec& spec, std::uint64_t place) {
  if (std::get<2>(spec) != 0) return Guid(std::get<2>(spec));
  constexpr std::uint64_t kSwitches = 0x0010000000000001, kOthers = 0x0020000000000100;
  return Guid(std::get<1>(spec) == static_cast<std::uint8_t>(NodeType::kSwitch)
                  ? kSwitches + place
                  : kOthers + 256 * place);
}

Result<Fabric> build(const std::vector<NodeSpec>& nodes, const std::vector<CableSpec>& cables) {
  FabricBuilder builder;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    Node node;
    node.description = std::get<0>(nodes[i]);
    node.type = static_cast<NodeType>(std::get<1>(nodes[i]));
    node.node_guid = node.system_guid = guid_of(nodes[i], i);
    node.port_count = std::get<3>(nodes[i]);
    const auto index = builder.add_node(std::move(node));
    if (std::get<1>(nodes[i]) == static_cast<std::uint8_t>(NodeType::kSwitch)) continue;
    for (unsigned port = 1; port <= std::get<3>(nodes[i]); ++port) {
      FabricBuilder::PortSpec own;
      own.guid = Guid(guid_of(nodes[i], i).value() + port);
      if (auto status = builder.describe_port(index, PortNum(static_cast<std::uint8_t>(port)), own);
          !status)
        return forward(status);
    }
  }
  for (const auto& [a, a_port, b, b_port, width, speed] : cables) {
    FabricBuilder::PortSpec link;
    link.width = parse_link_width(width);
    link.speed = parse_link_speed(speed);
    if (!link.width || !link.speed)
      return fail(
          Code::kBadInput, "cable from '{}' port {} to '{}' port {}: {}, expected {}",
          std::get<0>(nodes[a]), a_port, std::get<0>(nodes[b]), b_port,
          link.width ? "speed: found " + speed : "width: found " + width,
          link.width ? "SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR" : "1x, 2x, 4x, 8x or 12x");
    auto status = builder.describe_port(a, PortNum(a_port), link);
    if (status) status = builder.describe_port(b, PortNum(b_port), link);
    if (status) status = builder.connect(a, PortNum(a_port), b, PortNum(b_port));
    if (!status) return forward(status);
  }
  return builder.build();
}

// ---- Arrays ----

py::array channels(const py::object& self) {
  static_assert(std::is_standard_layout_v<Channel>);
  const py::dtype type = Fields()
                             .add<std::uint32_t>("from", offsetof(Channel, from))
                             .add<std::uint8_t>("from_port", offsetof(Channel, from_port))
                             .add<std::uint32_t>("to", offsetof(Channel, to))
                             .add<std::uint8_t>("to_port", offsetof(Channel, to_port))
                             .add<std::uint32_t>("reverse", offsetof(Channel, reverse))
                             .type(sizeof(Channel));
  return view(type, self.cast<const FabricHandle&>().fabric->channels(), self);
}

py::array endports(const py::object& self) {
  static_assert(std::is_standard_layout_v<Endport>);
  const py::dtype type = Fields()
                             .add<std::uint32_t>("port", offsetof(Endport, port))
                             .add<std::uint32_t>("node", offsetof(Endport, node))
                             .add<std::uint32_t>("switch", offsetof(Endport, sw))
                             .add<std::uint8_t>("switch_port", offsetof(Endport, sw_port))
                             .add<std::uint16_t>("lid", offsetof(Endport, lid))
                             .add<std::uint8_t>("lmc", offsetof(Endport, lmc))
                             .type(sizeof(Endport));
  return view(type, self.cast<const FabricHandle&>().fabric->endports(), self);
}

py::array ports(const py::object& self) {
  static_assert(std::is_standard_layout_v<Port>);
  const py::dtype type = Fields()
                             .add<std::uint32_t>("node", offsetof(Port, node))
                             .add<std::uint8_t>("port", offsetof(Port, num))
                             .add<std::uint64_t>("guid", offsetof(Port, guid))
                             .add<std::uint32_t>("peer", offsetof(Port, peer))
                             .add<std::uint8_t>("width", offsetof(Port, width))
                             .add<std::uint8_t>("speed", offsetof(Port, speed))
                             .add<std::uint8_t>("mtu", offsetof(Port, mtu_cap))
                             .add<std::uint8_t>("data_vls", offsetof(Port, data_vls))
                             .add<std::uint16_t>("lid", offsetof(Port, lid))
                             .add<std::uint8_t>("lmc", offsetof(Port, lmc))
                             .type(sizeof(Port));
  const Fabric& fabric = *self.cast<const FabricHandle&>().fabric;
  // The ports of all nodes are consecutive in memory.
  const std::span<const Port> all(fabric.port_count() == 0 ? nullptr : &fabric.port(PortId(0)),
                                  fabric.port_count());
  return view(type, all, self);
}

py::array rates(const FabricHandle& handle) {
  std::vector<double> gbits;
  for (const Channel& channel : handle.fabric->channels()) {
    const PortId id = handle.fabric->port_id(Fabric::node_of(channel.from), channel.from_port);
    const Port& port = handle.fabric->port(id);
    gbits.push_back(data_rate_100mbit(port.width, port.speed) / 10.0);
  }
  return owned(std::move(gbits));
}

py::array hosts(const FabricHandle& handle) {
  std::vector<std::uint32_t> ids;
  for (const EndportId id : handle.fabric->hosts()) ids.push_back(id.value());
  return owned(std::move(ids));
}

py::array distances(const FabricHandle& handle) {
  HopTable table = compute([fabric = handle.fabric](Task&) { return switch_distances(*fabric); });
  const auto size = static_cast<py::ssize_t>(handle.fabric->switch_count());
  return owned(std::move(table.bytes), {size, size});
}

// ---- Nodes and text ----

py::list nodes(const FabricHandle& handle) {
  py::list list;
  for (const Node& node : handle.fabric->nodes())
    list.append(py::make_tuple(py::bytes(node.description), node.node_guid.value(),
                               node.system_guid.value(), static_cast<unsigned>(node.type),
                               node.port_count, node.vendor_id, node.device_id));
  return list;
}

FabricHandle without_parts(const FabricHandle& handle, const std::vector<std::uint32_t>& failed,
                           const std::vector<std::uint32_t>& cut) {
  std::vector<NodeId> nodes(failed.begin(), failed.end());
  std::vector<PortId> ports(cut.begin(), cut.end());
  return compute([fabric = handle.fabric, nodes, ports](Task&) {
    return FabricHandle{std::make_shared<const Fabric>(without(*fabric, nodes, ports))};
  });
}

FabricHandle with_lids(const FabricHandle& handle, std::uint8_t lmc, bool reassign) {
  return compute([fabric = handle.fabric, lmc, reassign](Task&) {
    const auto ranges =
        take(assign_lids(*fabric, current_lids(*fabric), {.lmc = lmc, .reassign = reassign}));
    return FabricHandle{std::make_shared<const Fabric>(take(fabric->with_lids(ranges)))};
  });
}

py::bytes text_of(const FabricHandle& handle, const std::string& format) {
  const WriteFormat* const writer = take(find_writer(format));
  return compute(
      [fabric = handle.fabric, writer](Task&) { return write_fabric_text(*fabric, *writer); });
}

void write(const FabricHandle& handle, const std::string& path, const std::string& format) {
  const WriteFormat* const writer = take(find_writer(format.empty() ? path : format));
  compute([fabric = handle.fabric, path, writer](Task&) {
    take(write_file(path, [&](const Append& append) { writer->write(*fabric, append); }));
    return true;
  });
}

std::string topology(const FabricHandle& handle) {
  return compute([fabric = handle.fabric](Task&) { return recognize(*fabric).about; });
}

void bind_class(py::module_& module) {
  py::class_<FabricHandle>(module, "Fabric")
      .def("counts",
           [](const FabricHandle& handle) {
             const Fabric& fabric = *handle.fabric;
             return py::make_tuple(fabric.node_count(), fabric.switch_count(),
                                   fabric.channel_count(), fabric.endport_count(),
                                   fabric.link_count(), fabric.switch_link_count(),
                                   fabric.lid_top().value());
           })
      .def("endport_of_lid",
           [](const FabricHandle& handle, std::uint16_t lid) {
             return handle.fabric->endport_of(Lid(lid)).value();
           })
      .def("nodes", &nodes)
      .def("channels", &channels)
      .def("endports", &endports)
      .def("ports", &ports)
      .def("rates", &rates)
      .def("hosts", &hosts)
      .def("distances", &distances)
      .def("without", &without_parts)
      .def("with_lids", &with_lids)
      .def("text", &text_of)
      .def("write", &write)
      .def("topology", &topology);
}

}  // namespace

void bind_fabrics(py::module_& module) {
  bind_class(module);
  module.def("load",
             [](const std::string& path, std::string format, std::string ibnl, WantedLmc lmc) {
               return load(path, {std::move(format), std::move(ibnl)}, lmc);
             });
  module.def("parse", [](const std::string& text, const std::string& name, std::string format,
                         std::string ibnl, WantedLmc lmc) {
    return parse(text, name, {std::move(format), std::move(ibnl)}, lmc);
  });
  module.def("generate", &from_spec);
  module.def("build", [](const std::vector<NodeSpec>& nodes, const std::vector<CableSpec>& cables,
                         WantedLmc lmc) {
    return compute(
        [nodes, cables, lmc](Task&) { return handle_of(take(build(nodes, cables)), lmc); });
  });
}

}  // namespace weft::python
