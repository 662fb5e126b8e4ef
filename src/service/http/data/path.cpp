// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/data/path.h"

#include <optional>
#include <utility>

#include "base/text.h"

namespace weft::http_data {
namespace {

Result<EndportId> find_end(const Fabric& fabric, std::string_view text) {
  const auto missing = [&](std::string_view why) {
    return fail(Code::kUsage, "{}: {}", weft::quoted(text), why);
  };
  if (const auto lid = parse_number<std::uint16_t>(text)) {
    const EndportId holder = fabric.endport_of(Lid(*lid));
    if (holder == kNoEndport) return missing("LID is not assigned");
    return holder;
  }
  std::optional<NodeId> node;
  const auto guid = text.starts_with("0x") ? parse_number<std::uint64_t>(text, 16) : std::nullopt;
  if (guid) {
    if (const auto endport = fabric.find_endport(Guid(*guid))) return *endport;
    node = fabric.find_node(Guid(*guid));
  } else {
    for (std::uint32_t n = 0; n < fabric.node_count(); ++n) {
      if (fabric.node(NodeId(n)).description != text) continue;
      if (node) return missing("several nodes have this name; use the GUID");
      node = NodeId(n);
    }
  }
  if (!node) return missing("no node of the fabric has this name or GUID");
  for (const Port& port : fabric.ports(*node)) {
    const EndportId endport = fabric.endport_at(fabric.port_id(*node, port.num));
    if (endport != kNoEndport && fabric.endport(endport).lid != kLidNone) return endport;
  }
  return missing("no port of this node has a LID");
}

Json hop_json(const Fabric& fabric, const Port& out, Vl vl) {
  Json json{{"from", end_of(fabric, out)}, {"to", nullptr}, {"vl", vl.value()}};
  if (out.peer != kNoPort) {
    json["to"] = end_of(fabric, fabric.port(out.peer));
    add_rate(out, json);
  }
  return json;
}

}  // namespace

/// Follows the forwarding tables hop by hop. `hop_count` does not count the link from a host to its
/// switch, as in Quality and OpenSM.
Result<Json> path(const Snapshot& snapshot, std::string_view from, std::string_view to) {
  const Fabric& fabric = snapshot.fabric;
  const auto source = find_end(fabric, from);
  if (!source) return forward(source);
  const auto target = find_end(fabric, to);
  if (!target) return forward(target);
  const Endport& start = fabric.endport(*source);
  const Endport& end = fabric.endport(*target);
  const bool starts_at_host = !fabric.is_switch(start.node);
  Json hops = Json::array();
  Sl sl(0);
  if (*source != *target) {
    if (start.sw == kNoSwitch || end.sw == kNoSwitch)
      return fail(Code::kUsage,
                  "no routes: the source or the destination is not connected to a switch");
    sl = snapshot.routes.path_sl.sl(fabric, *source, end.lid);
    PortNum in(0);
    if (starts_at_host) {
      const SlMap* own = snapshot.lanes.end_map(start.port);
      const SlMap& map = own ? *own : snapshot.routes.sl2vl.common();
      hops.push_back(hop_json(fabric, fabric.port(start.port), Vl(map[sl.value()])));
      in = start.sw_port;
    }
    SwitchId at = start.sw;
    while (!(at == end.sw && fabric.is_switch(end.node))) {
      const PortNum out = snapshot.routes.lfts.port(at, end.lid);
      const PortId port = out == kNoRoute ? kNoPort : fabric.port_id(Fabric::node_of(at), out);
      if (port == kNoPort || fabric.port(port).peer == kNoPort ||
          hops.size() > fabric.switch_count())
        return fail(Code::kUnroutable, "LID {} is unreachable from {}", end.lid.value(),
                    describe(fabric.node(at)));
      hops.push_back(
          hop_json(fabric, fabric.port(port), snapshot.routes.sl2vl.vl(at, in, out, sl)));
      const Port& next = fabric.port(fabric.port(port).peer);
      if (!fabric.is_switch(next.node)) {
        if (next.node == end.node) break;
        return fail(Code::kUnroutable, "packets for LID {} arrive at {}", end.lid.value(),
                    describe(fabric.node(next.node)));
      }
      at = SwitchId(next.node.value());
      in = next.num;
    }
  }
  return Json{{"from", end_of(fabric, fabric.port(start.port))},
              {"to", end_of(fabric, fabric.port(end.port))},
              {"slid", start.lid.value()},
              {"dlid", end.lid.value()},
              {"sl", sl.value()},
              {"hop_count", hops.size() - (starts_at_host && !hops.empty() ? 1 : 0)},
              {"hops", std::move(hops)}};
}

}  // namespace weft::http_data
