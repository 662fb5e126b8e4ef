// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routes/dump/text_sink.h"
#include "routes/dump/write.h"

namespace weft {
namespace {

/// Writes ports as ranges: "1-4,7".
void write_ports(const PortMask& ports, TextSink& sink) {
  bool first = true;
  for (std::size_t port = ports._Find_first(); port < ports.size();) {
    std::size_t last = port;
    while (last + 1 < ports.size() && ports.test(last + 1)) ++last;
    if (!first) sink.text(",");
    first = false;
    sink.dec(port);
    if (last > port) sink.text("-").dec(last);
    port = ports._Find_next(last);
  }
}

void write_switch(const Fabric& fabric, const ArTables& tables, SwitchId sw, TextSink& sink) {
  sink.text("switch 0x").hex(fabric.node(sw).node_guid.value(), 16).text("\n");
  const auto groups = tables.groups(sw);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    sink.text("group ").dec(g).text(" ports ");
    write_ports(groups[g], sink);
    sink.text("\n");
  }
  const auto divisions = tables.divisions(sw);
  for (std::size_t g = 0; g < divisions.size(); ++g) {
    if (divisions[g].second.none()) continue;
    sink.text("second ").dec(g).text(" ports ");
    write_ports(divisions[g].second, sink);
    sink.text(" weights ").dec(divisions[g].first_weight).text(" ");
    sink.dec(divisions[g].second_weight).text("\n");
  }
  for (std::uint32_t lid = 0; lid <= tables.top().value();) {
    const auto at = [&](std::uint32_t of) {
      return tables.entry(sw, Lid(static_cast<std::uint16_t>(of)));
    };
    const ArEntry entry = at(lid);
    const std::uint32_t first = lid;
    while (++lid <= tables.top().value() && at(lid) == entry) {
    }
    if (entry.state == ArState::kStatic) continue;
    sink.text("lids ").dec(first);
    if (lid - 1 > first) sink.text("-").dec(lid - 1);
    sink.text(" ").text(name(entry.state)).text(" group ").dec(entry.group).text("\n");
  }
}

}  // namespace

void write_adaptive(const Fabric& fabric, const Routes& routes, const Append& append) {
  if (!routes.adaptive) return;
  TextSink sink(append);
  sink.text("# Adaptive routing: the groups of ports from which switches select, and their LIDs\n");
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    if (routes.adaptive->is_set(SwitchId(s)))
      write_switch(fabric, *routes.adaptive, SwitchId(s), sink);
}

}  // namespace weft
