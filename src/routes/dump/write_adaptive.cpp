// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <algorithm>

#include "routes/dump/text_sink.h"
#include "routes/dump/write.h"

namespace weft {
namespace {

/// Writes numbers as ranges: "1-4,7".
void write_ranges(const PortMask& numbers, TextSink& sink) {
  bool is_first_range = true;
  for (std::size_t first = numbers._Find_first(); first < numbers.size();) {
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers.test(last + 1)) ++last;
    if (!is_first_range) sink.text(",");
    is_first_range = false;
    sink.dec(first);
    if (last > first) sink.text("-").dec(last);
    first = numbers._Find_next(last);
  }
}

void write_table(const ArTables& tables, SwitchId sw, TextSink& sink) {
  const auto groups = tables.groups(sw);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    sink.text("group ").dec(g).text(" ports ");
    write_ranges(groups[g], sink);
    sink.text("\n");
  }
  const auto divisions = tables.divisions(sw);
  for (std::size_t g = 0; g < divisions.size(); ++g) {
    if (divisions[g].second.none()) continue;
    sink.text("second ").dec(g).text(" ports ");
    write_ranges(divisions[g].second, sink);
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

/// Writes the input ports and SLs that select a private table. Ports with the same SLs are on one
/// line.
void write_inputs(const TableSelection& selection, SwitchId sw, unsigned table, TextSink& sink) {
  const auto& ports = selection.ports(sw);
  const auto sls_of = [&](std::size_t port) {
    PortMask sls;
    for (std::size_t sl = 0; sl < kSlCount; ++sl) sls.set(sl, ports[port][sl] == table);
    return sls;
  };
  PortMask written;
  for (std::size_t port = 0; port < ports.size(); ++port) {
    const PortMask sls = sls_of(port);
    if (written.test(port) || sls.none()) continue;
    PortMask same;
    for (std::size_t other = port; other < ports.size(); ++other)
      same.set(other, sls_of(other) == sls);
    written |= same;
    sink.text("inputs ");
    write_ranges(same, sink);
    sink.text(" sls ");
    write_ranges(sls, sink);
    sink.text("\n");
  }
}

/// Whether a switch may have an entry in the table that is not static, or selects the table. The
/// selection counts for private tables only, because every switch uses table 0.
bool is_in_use(const ArTables& tables, SwitchId sw, unsigned table) {
  if (tables.table(table).is_set(sw)) return true;
  return table > 0 && std::ranges::any_of(tables.selection().ports(sw), [&](const auto& sls) {
           return std::ranges::find(sls, table) != sls.end();
         });
}

void write_switch(const Fabric& fabric, const ArTables& tables, SwitchId sw, TextSink& sink) {
  sink.text("switch 0x").hex(fabric.node(sw).node_guid.value(), 16).text("\n");
  write_table(tables, sw, sink);
  for (unsigned table = 1; table < tables.table_count(); ++table) {
    if (!is_in_use(tables, sw, table)) continue;
    sink.text("table ").dec(table).text("\n");
    write_inputs(tables.selection(), sw, table, sink);
    write_table(tables.table(table), sw, sink);
  }
}

bool is_written(const ArTables& tables, SwitchId sw) {
  for (unsigned table = 0; table < tables.table_count(); ++table)
    if (is_in_use(tables, sw, table)) return true;
  return false;
}

}  // namespace

void write_adaptive(const Fabric& fabric, const Routes& routes, const Append& append) {
  if (!routes.adaptive) return;
  TextSink sink(append);
  sink.text(
      "# Adaptive routing: the AR groups of each switch, and the LIDs that are assigned to each AR "
      "group\n");
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    if (is_written(*routes.adaptive, SwitchId(s)))
      write_switch(fabric, *routes.adaptive, SwitchId(s), sink);
}

}  // namespace weft
